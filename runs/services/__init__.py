"""Every write of training runs."""
