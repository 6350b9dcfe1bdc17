"""The fleet file: a whole site in one compact YAML file, and how it gets into the database.

    document.py   YAML and CSV, with the line of everything kept
    format.py     what the file may say (pydantic)
    patterns.py   ranges and names
    derive.py     serials, GUIDs and MACs of generated fleets
    expand.py     file -> plain rows (with devices.py, cabling.py and routes.py); no database
    expansion.py  what those steps share
    check.py      what no site may contain; pure
    taken.py      what the file wants and something that stays already has; pure
    store.py      the rows of a site as they are stored
    diff.py       rows against rows; pure
    apply.py      the difference, in bulk, in one transaction
    load.py       all of it in order: what `manage.py load_fleet` does
    reference.py  writes the fleet file of the reference site (with reference_layout.py)

The format is described in docs/fleet-file.md.
"""
