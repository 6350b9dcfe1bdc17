"""Which jobs and training runs a drain of machines would hurt."""
