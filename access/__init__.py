"""How machines and their BMCs are reached: addresses, credentials, known host keys, pinned certificates."""
