"""In the aisle: which label is the right one, in which order to go round, and photos taken at a step."""
