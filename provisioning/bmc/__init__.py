"""BMC set-up: a password of its own for each BMC, settings by a profile of its model, and firmware by a baseline."""
