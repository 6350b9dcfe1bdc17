"""Machines that failed on their way, sent back to their vendor with what shows why, and followed to the end."""
