"""Bridge cranes on one rope, from the laboratory to the workshop."""
