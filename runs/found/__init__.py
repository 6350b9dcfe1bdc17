"""Runs as they are found: from the processes that hold GPUs and from the scheduler's jobs. Pure."""
