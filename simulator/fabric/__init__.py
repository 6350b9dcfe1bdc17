"""The fabric of the virtual hall: one state of the wiring, and everything that tells of it or changes it."""
