"""Shared by node, clients and launch files: parameters, messages, frames, pacing."""
