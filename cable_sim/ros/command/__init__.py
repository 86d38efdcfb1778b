"""Commands to the node, by topic, game pad and keyboard."""
