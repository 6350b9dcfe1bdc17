"""What the services of a site that install its machines for us (MAAS, Ironic) have in common: how a step goes on, what
is compared with the inventory, how one is set, and what is written to it outside of runs."""
