"""How meters are asked: PDUs, sensors of a room."""
