"""Sets of machines of a run: who stands in for one, and how launchers are told of them."""
