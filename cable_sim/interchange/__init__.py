"""Models in and out: cranes and scenes for the tools of others, and theirs for ours."""
