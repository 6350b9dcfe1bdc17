"""Container images are placed on many machines or removed from them: the same bytes by digest, in waves."""
