"""How the way to service ends badly: the classes, whose work each is, and what shows it."""
