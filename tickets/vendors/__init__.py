"""Cases with vendors: what failed, the bundle that shows it, how it was asked for, and the part that came and went."""
