"""Registries of container images."""
