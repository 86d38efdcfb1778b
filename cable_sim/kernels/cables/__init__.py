"""One file per cable model; all answer the same questions."""
