"""Compiled physics on arrays and numbers; knows neither names nor specs."""
