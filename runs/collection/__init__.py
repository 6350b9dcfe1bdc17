"""Evidence fetched from the machines of a run: what is asked, how it is read, whose clock is off. Pure."""
