"""Massless cables: their rows, sheaves and wheels."""
