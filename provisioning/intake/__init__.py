"""Deliveries: what a vendor says it sent, beside what the inventory plans, and taking over what fits."""
