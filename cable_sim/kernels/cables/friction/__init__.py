"""Dry friction of cables on solids, and the weight of the rope that lies on them."""
