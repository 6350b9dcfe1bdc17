"""What leaves the inventory: documents for other programs, lists for contractors, and labels."""
