"""The stages of a machine before its service: who stands where, since when, and what holds it up."""
