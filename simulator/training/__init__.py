"""Training runs that fail: the logs of all their ranks and machines, with the cause known."""
