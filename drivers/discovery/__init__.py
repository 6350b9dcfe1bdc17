"""What a discovery asks: Kea for its leases, a BMC for what its machine is made of."""
