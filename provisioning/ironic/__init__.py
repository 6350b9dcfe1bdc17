"""A site's Ironic: how it is reached, what it has of our machines, and what is written to it outside of runs."""
