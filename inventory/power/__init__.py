"""Power, from the feed to the part.

    graph.py        feeds, PDUs, inlets and devices: who draws what, and what happens when feeds die; pure
    failures.py     one failure worked out: lost, degraded, unknown, breakers that trip; pure
    loading.py      the graph of a site or a rack out of the database, in a fixed number of statements
    answers.py      what the API says of a rack, a floor and a site
    inside.py       what the API says of the power inside one machine
    api.py          the routes
    readings.py     what BMCs measured
    workstation.py  connectors, leads and supplies inside one machine; pure

docs/power.md tells the rules.
"""
