"""The live feed of a site for other programs, as server-sent events: nobody has to poll, and a cursor loses nothing."""
