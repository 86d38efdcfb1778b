"""Foundation of a model: frames, columns of arrays, names, rows, bodies."""
