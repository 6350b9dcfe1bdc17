"""Reads that join: the floor map, racks with their machines, one machine in full."""
