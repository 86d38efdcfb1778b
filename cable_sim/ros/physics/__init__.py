"""The thread that steps the crane, and what others ask of it."""
