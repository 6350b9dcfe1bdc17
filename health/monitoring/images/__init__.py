"""Container images on machines: what a look saw, as it is kept, and what is told of it."""
