"""Automation as it runs: what the rows say (views), incidents, planning and granting, acting, and what people set.

The rules are pure and live in `health.remediation`; here they meet the database, and every write is one transaction.
The lock order is machine, pool, site.
"""
