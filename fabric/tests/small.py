"""A fabric small enough to see at once, as a discovery left it: leaves, spines, an adapter at each leaf."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from core.models import Site
from fabric.facts import SeenPort
from fabric.models import FabricLink, FabricSource, PortPolicy, SeenNode

LEAVES = ("leaf-1", "leaf-2", "leaf-3", "leaf-4")
SPINES = ("spine-1", "spine-2", "spine-3", "spine-4")


def guid_of(name: str) -> str:
    return f"{sum(ord(letter) * 131**at for at, letter in enumerate(name)) % 16**12:016x}"


def small_fabric(site: Site, *, kind: str = "ufm", **policy: object) -> FabricSource:
    """Every leaf with a link to every spine, all of them right."""
    now = timezone.now()
    source = FabricSource.objects.create(site=site, name=f"fabric-{kind}", kind=kind, state="ok", last_good_at=now)
    adapters = [f"gpu-{leaf} mlx5_0" for leaf in LEAVES]
    for name in (*LEAVES, *SPINES, *adapters):
        node = "adapter" if name in adapters else "switch"
        SeenNode.objects.create(
            source=source, guid=guid_of(name), kind=node, ports=64, name=name, description=name, during=(now, None)
        )
    for at, leaf in enumerate(LEAVES):
        join(source, leaf, 1, adapters[at], 1)
        for number, spine in enumerate(SPINES):
            join(source, leaf, 33 + number, spine, 1 + at)
    PortPolicy.objects.create(site=site, **{"automation": "on", "floor_share": 0.5, **policy})
    return source


def join(source: FabricSource, a: str, a_number: int, b: str, b_number: int, state: str = "correct") -> FabricLink:
    return FabricLink.objects.create(
        source=source, key=f"{a}:{a_number}", state=state, since=timezone.now(), width="4x", speed="NDR",
        a_name=a, a_number=a_number, a_guid=guid_of(a), b_name=b, b_number=b_number, b_guid=guid_of(b),
    )  # fmt: skip


class Orders:
    """Stands in for the way to a source: keeps what it is told, and may refuse or stay silent."""

    def __init__(self) -> None:
        self.given: list[tuple[tuple[SeenPort, ...], str, bool]] = []
        self.out: set[SeenPort] = set()
        self.trouble: Exception | None = None

    def __call__(self, source: FabricSource, ports: Sequence[SeenPort], action: str, out: bool) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.given.append((tuple(ports), action, out))
        (self.out.update if out else self.out.difference_update)(ports)
