"""Commands that the node takes, by topic, game pad and keyboard."""
