"""How repairs go: times, what comes back, parts with poor lives, what it costs, and the weekly report of it."""
