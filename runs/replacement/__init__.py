"""Replace a machine of a run and go on."""
