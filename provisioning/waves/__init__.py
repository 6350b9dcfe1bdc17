"""What runs over machines have in common: who is next, who may be touched, and who is held out of service."""
