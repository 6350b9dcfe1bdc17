"""What follows from measured power and cooling. Pure: values in, findings and answers out, no database and no clock.

`kinds` is the table of everything that can be found, `limits` what a site allows, `readings` what goes in. Each other
module answers one question; `measured` is the planned graph of the inventory with measured loads on it.
"""
