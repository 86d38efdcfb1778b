"""Identification of cranes from recordings, and their validation against others."""
