"""Ironic without the rest of OpenStack: its REST API, and what its answers and states mean."""
