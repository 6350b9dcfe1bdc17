"""Training runs: who runs where, why one stopped, hangs or is slow."""
