"""MAAS 3.x: its REST API, and what its answers and states mean."""
