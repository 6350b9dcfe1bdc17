"""Discoveries: BMCs found from DHCP leases or a range of addresses, beside what the inventory plans."""
