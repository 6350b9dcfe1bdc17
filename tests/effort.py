"""How hard the tests search: little in every change, ten times as long with `./rackside test --all`.

Hypothesis is told by its profile, `ci` or `thorough`; a test with a number of its own gives it through `examples`.
"""

from __future__ import annotations

from hypothesis import settings

THOROUGH = 10


def register() -> None:
    """The two profiles. `ci` is the default; `--hypothesis-profile=thorough` chooses the other."""
    settings.register_profile("ci", max_examples=100)
    settings.register_profile("thorough", max_examples=100 * THOROUGH)
    settings.load_profile("ci")


def examples(usual: int) -> int:
    """The number of examples (or histories, or seeds) of a test that wants `usual` of them in every change."""
    return usual * settings().max_examples // 100
