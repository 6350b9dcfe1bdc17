"""How good the links are: counters to rates, rates to judgements; bursts of events to incidents; burn-in plans. Pure.

`counters` knows what each counter can hold, `deltas` what happened between two readings, `rates` what that means over
windows of time, `judge` what it says of a link, `thresholds` the named limits with their sources. `events` reads what a
kind of UFM event means, `bursts` groups events into incidents. `burn_in` plans a run that loads every link.
"""
