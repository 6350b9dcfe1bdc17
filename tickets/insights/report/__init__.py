"""The weekly report: when it is due, what it says, its pictures and its PDF."""
