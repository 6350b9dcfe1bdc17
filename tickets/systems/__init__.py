"""Tickets in the ticket systems of others: Jira and ServiceNow, both ways.

`maps` and `changes` are pure. What happens to a ticket becomes rows of `ExternalItem` (`outbox`), told in the order of
each ticket by `exchange`, which also reads what was written there. A map that is wrong leaves rows as failed, with the
system's own words, to be told again when it is right.
"""
