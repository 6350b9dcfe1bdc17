"""Tests that load machines which run nothing: what there is, how it is started, what its outputs mean. Pure: no Django.

The verdicts on outputs are checks as any other (`health.checks.load_tests`, `health.checks.validation`); here is what
makes those outputs, and the plan that finds the bad ones among many machines with tests of groups.
"""
