"""The floor as deliveries and discoveries show it: which places are confirmed, and what is wrong with the others."""
