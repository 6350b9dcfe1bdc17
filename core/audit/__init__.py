"""The audit log: who changed what, when, from what to what. docs/decisions/0006-audit.md says why it is built so.

`actor` knows who writes, `cursors` tells the database, `triggers` makes PostgreSQL keep the log, `tables` says what is
kept of which table (each room adds its own in its `audit.py`), `queries` reads the log and `undo` takes changes back.
"""
