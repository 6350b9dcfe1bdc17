"""The fleet file: a whole site in one compact YAML file, and how it gets into the database.

    document.py   YAML and CSV, with the line of everything kept
    format.py     what the file may say (pydantic)
    patterns.py   ranges and names
    derive.py     serials, GUIDs and MACs of generated fleets
    expand.py     file -> plain rows (with cabling.py and routes.py); pure
    check.py      what no site may contain; pure
    store.py      the rows of a site as they are stored
    diff.py       rows against rows; pure
    apply.py      the difference, in bulk, in one transaction

The format is described in docs/fleet-file.md.
"""
