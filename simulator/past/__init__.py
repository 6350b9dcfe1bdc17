"""Ninety days that a virtual hall could have had, made up from a seed: what broke, who mended it when, and what ran."""
