"""Scenes and cranes as models and pictures for other programs."""
