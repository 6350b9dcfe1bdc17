"""Parts over their life: where each was and is, what happened to it, and how many spares there are."""
