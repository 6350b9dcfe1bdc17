"""The repair desk: how urgent a ticket is and why, when it is due, whose queue it stands in, and the work on many."""
