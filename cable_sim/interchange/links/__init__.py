"""Links over which pictures, sounds and controllers elsewhere live with a crane."""
