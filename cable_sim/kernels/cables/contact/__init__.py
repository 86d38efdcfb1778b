"""Contact of cables with solids: nodes that come, slide and go, and the search for them."""
