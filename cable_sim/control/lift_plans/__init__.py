"""Lift plans: an operator's commands with their times, and the report of a lift."""
