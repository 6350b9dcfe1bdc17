"""Active checks."""
