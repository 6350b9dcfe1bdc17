"""Writes a made-up past (`simulator.past`) into the database of a demo, where every page then has something to show."""
