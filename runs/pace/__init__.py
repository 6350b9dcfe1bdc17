"""How fast a run goes: step lines and the shapes of their curve. Pure."""
