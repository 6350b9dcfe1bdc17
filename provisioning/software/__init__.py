"""Base software: Ansible roles over many machines, in waves, and what each task did on each of them."""
