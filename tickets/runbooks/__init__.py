"""Runbooks: what a technician does about a fault, as data that a site edits, in versions that tickets keep.

From the bottom: `language` (templates), `document` (what a runbook is), `shipped` (the files in `data/`), `markdown`,
`power` (pure decisions), then models, queries, services, machine steps and routes.
"""
