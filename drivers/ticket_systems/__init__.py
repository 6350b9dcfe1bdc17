"""Ticket systems of others: Jira and ServiceNow, over their own REST APIs."""
