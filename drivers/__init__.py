"""Clients of the outside world: typed, without Django, each usable from a plain Python prompt."""
