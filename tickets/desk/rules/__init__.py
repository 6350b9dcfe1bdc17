"""What is decided about a ticket at the desk. Pure: no database, no clock."""
