"""A small site in the inventory, and the fabric of its plan to make faults in: 8 machines of 8 rails, 8 leaves, 4
spines, every leaf on every spine twice."""

from __future__ import annotations

import random
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.models import Site
from fabric.discovery.services.readers import Part
from fabric.facts import DeviceRole, Plan
from fabric.models import FabricSource
from fabric.planned import planned
from fabric.tests import made_texts
from fabric.tests.made import EIGHT_RAILS, Made, Plug, Shape, Socket
from tests.kept_rows import load_fleet

MACHINES, LEAVES, SPINES = 8, 8, 4
CABLES = MACHINES * 8 + LEAVES * SPINES * 2


def fleet(slug: str, prefix: str = "", machines: int = MACHINES) -> str:
    """The fleet file of the site, four machines to a rack, 32 at most. All names begin with `prefix`."""
    racks = machines // 4
    cables = []
    for rail, adapter in enumerate(EIGHT_RAILS, start=1):
        for at in range(machines):
            cables.append((f"{prefix}gpu-{at + 1} mlx5_{adapter}", f"{prefix}leaf-{rail} {at // 2 + 1}/{at % 2 + 1}"))
    for leaf in range(LEAVES):
        for spine in range(SPINES):
            for lane in (1, 2):
                cables.append(
                    (f"{prefix}leaf-{leaf + 1} {17 + spine}/{lane}", f"{prefix}spine-{spine + 1} {leaf + 1}/{lane}")
                )
    rows = [
        f'  - {{type: MPO-12, length_m: 10, label: "{prefix}C{n:04}", a: "{a}", b: "{b}"}}'
        for n, (a, b) in enumerate(cables, start=1)
    ]
    return "\n".join([
        "rackside_fleet: 1",
        f"site: {{slug: {slug}, name: {slug.upper()}, timezone: UTC}}",
        "rooms:",
        f"  - name: {prefix}Hall",
        "    width_mm: 12000",
        "    depth_mm: 8000",
        "    rows:",
        f'      - {{name: A, racks: "{prefix}A{{01..{racks + 2:02}}}", x_mm: 1200, y_mm: 1200, facing: down}}',
        "devices:",
        f'  - {{name: "{prefix}gpu-{{i}}", model: dell-xe9680-h100, racks: "{prefix}A{{01..{racks:02}}}",'
        " u: [1, 7, 13, 19]}",
        f'  - {{name: "{prefix}leaf-{{i}}", model: nvidia-qm9700, racks: {prefix}A{racks + 1:02}, u: "1..8",'
        " fabric: infiniband, tier: leaf}",
        f'  - {{name: "{prefix}spine-{{i}}", model: nvidia-qm9700, racks: {prefix}A{racks + 2:02}, u: "1..4",'
        " fabric: infiniband, tier: spine}",
        "cables:",
        *rows,
        "",
    ])  # fmt: skip


def load_site(folder: Path, slug: str, prefix: str = "", machines: int = MACHINES) -> Site:
    path = folder / f"{slug}.yaml"
    path.write_text(fleet(slug, prefix, machines))
    load_fleet(path)
    return Site.objects.get(slug=slug)


def source_of(site: Site, name: str = "diags", kind: str = "file", **fields: Any) -> FabricSource:
    return FabricSource.objects.create(site=site, name=name, kind=kind, **fields)


def fabric_of(site: Site) -> Made:
    """The fabric of a site exactly as its inventory plans it."""
    return made_of(planned(site.pk, "infiniband").plan)


def made_of(plan: Plan, seed: int = 1) -> Made:
    """A fabric to make faults in, from any plan whose links are cables of their own."""
    guids = {name: _guid(name) for name in plan.devices}
    plugs: dict[Plug, Socket | None] = {}
    lanes: dict[str, tuple[tuple[Plug, int], tuple[Plug, int]]] = {}
    for cable in plan.cables:
        a, b = (cable.label, "a"), (cable.label, "b")
        plugs[a], plugs[b] = (cable.a,), (cable.b,)
        lanes[cable.label] = ((a, 0), (b, 0))
    reports = {guid: name for name, guid in guids.items()}
    return Made(Shape(len(plan.devices)), plan, guids, reports, plugs, lanes, random.Random(seed))


def _guid(name: str) -> str:
    return "b83fd2" + sha256(name.encode()).hexdigest()[:10]


def parts(fabric: Made) -> list[Part]:
    """What infiniband-diags print of it."""
    seen = fabric.seen()
    return [
        Part("ibnetdiscover", "ibnetdiscover", made_texts.ibnetdiscover(seen), 0),
        Part("iblinkinfo -l", "iblinkinfo", made_texts.iblinkinfo(seen), 0),
        Part("ibqueryerrors --data", "ibqueryerrors", made_texts.ibqueryerrors(seen), 0),
    ]


def switches(plan: Plan) -> list[str]:
    return [name for name, device in plan.devices.items() if device.role is DeviceRole.SWITCH]
