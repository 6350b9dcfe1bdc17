"""The one-command start: supervisor, data folder, backup, locks, image."""
