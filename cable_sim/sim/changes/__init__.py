"""Changes of a scene while it runs."""
