"""A site's MAAS region: how it is reached, what it has of our machines, and what is written to it outside of runs."""
