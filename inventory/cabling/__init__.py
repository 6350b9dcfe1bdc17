"""Where cables lead, and what the front of a switch looks like.

    walk.py       from a port along cables and through patch panels to the far ends; pure
    facts.py      what a walk needs, read in at most five statements
    trace.py      walks as the API answers them
    faceplate.py  the cages of a device model on its faceplate; pure
    api.py        the routes

docs/cabling.md explains the words and the rules.
"""
