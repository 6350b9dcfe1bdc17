"""How hard the tests search: little in every change, twenty times as long with `./rackside test --all`.

Hypothesis is told by its profile, `ci` or `thorough`; a test with a number of its own gives it through `examples`.
"""

from __future__ import annotations

from hypothesis import settings

CI, THOROUGH = 50, 1000
"""Examples of a property test that names no number of its own. Hypothesis itself would try 100."""


def register() -> None:
    """The two profiles. `ci` is the default; `--hypothesis-profile=thorough` chooses the other."""
    settings.register_profile("ci", max_examples=CI)
    settings.register_profile("thorough", max_examples=THOROUGH)
    settings.load_profile("ci")


def examples(usual: int) -> int:
    """The number of examples (or histories, or seeds) of a test that wants `usual` of them where others try 100."""
    return max(1, usual * settings().max_examples // 100)
