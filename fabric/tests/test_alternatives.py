"""A cable that nobody planned is offered for one that is missing, where it is long enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.facts import SeenCable
from fabric.reconcile.diagnose import Finding, Kind, Settings, diagnose
from fabric.tests.made import Shape, made
from fabric.tests.made_faults import inject


def dark_link(length_m: float | None, planned_m: float | None) -> Finding:
    """A fabric with one link missing and one cable too many, its length as its plugs tell."""
    fabric = made(Shape(machines=12, rails=2, radix=16))
    inject(fabric, "missing")
    extra = inject(fabric, "extra")
    assert extra is not None
    seen = fabric.seen()
    for plug in fabric.bodies[extra.cables[0]]:
        (port,) = fabric.plugs[plug] or ()
        at = next(each for each in seen.states if each == (fabric.guid(port.device), port.port))
        seen.cables[at] = SeenCable(length_m=length_m)
    plan = replace(fabric.plan, cables=[cable._replace(length_m=planned_m) for cable in fabric.plan.cables])
    diagnosis = diagnose(plan, seen, settings=Settings(guard_share=1.0))
    assert (diagnosis.counts["moves"], diagnosis.counts["unlit_links"], diagnosis.counts["unplanned_links"]) == (
        0,
        1,
        1,
    )
    return next(finding for finding in diagnosis.findings if finding.kind is Kind.DARK)


def test_one_that_is_long_enough_is_offered_before_a_new_cable_and_not_assumed() -> None:
    finding = dark_link(20.0, 15.0)
    (offer,) = finding.evidence["alternatives"]
    assert offer["length_m"] == 20.0 and len(offer["ends"]) == 2 and finding.moves == ()
    assert "nobody planned" in finding.checks[-2] and "20 m" in finding.checks[-2]
    assert "new cable" in finding.checks[-1]


@pytest.mark.parametrize(("length", "planned"), [(3.0, 15.0), (None, 15.0)])
def test_one_that_is_too_short_or_of_unknown_length_is_not(length: float | None, planned: float | None) -> None:
    finding = dark_link(length, planned)
    assert "alternatives" not in finding.evidence and not any("nobody planned" in check for check in finding.checks)


def test_without_a_planned_length_the_floor_tells_how_long_it_has_to_be() -> None:
    assert "alternatives" in dark_link(500.0, None).evidence
    assert "alternatives" not in dark_link(0.5, None).evidence
