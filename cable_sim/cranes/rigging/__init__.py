"""Rigging: reeving, tackles, rig and spreader."""
