"""Mail that comes in: `letters` takes one apart, `tokens` finds its ticket, `replies` makes a comment of it."""
