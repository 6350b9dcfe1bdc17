"""Trials of a whole real stack, minutes long: `./rackside test --all`. What they showed is in docs/reliability.md."""
