"""A fabric for tests, made by numbers."""

from __future__ import annotations

import zlib

from simulator.fabric.plan import CablePlan, End, FabricPlan, NodePlan, made_guid


def sample_fabric(machines: int, *, rails: int = 2, spines: int = 2, radix: int = 8) -> FabricPlan:
    """Leaves of one rail each, `radix / 2` machines a leaf, and as many cables up, shared evenly by the spines."""
    half = radix // 2
    groups = -(-machines // half)
    nodes: list[NodePlan] = []
    cables: list[CablePlan] = []
    used: dict[str, int] = {}

    def switch(name: str, tier: str, height_u: float) -> NodePlan:
        serial = f"MT{zlib.crc32(name.encode()):010d}"
        node = NodePlan(
            made_guid(name, vendor="900a84"), "switch", name, radix, name, model="nvidia-qm9700", serial=serial,
            tier=tier, lanes_a_cage=2, height_u=height_u,
        )  # fmt: skip
        nodes.append(node)
        return node

    def connect(a: End, b: End) -> None:
        label = f"C{len(cables) + 1:05d}"
        cables.append(CablePlan(label, a, b, serials=(f"MT24{label}A", f"MT24{label}B")))

    tops = [switch(f"spine-{at + 1:02}", "spine", 3.0 + at) for at in range(spines)]
    leaves = {
        (group, rail): switch(f"leaf-{group + 1:02}-r{rail + 1}", "leaf", 30.0 + rail)
        for group in range(groups)
        for rail in range(rails)
    }
    for at in range(machines):
        for rail in range(rails):
            name, device = f"gpu{at + 1:04d}", f"mlx5_{rail}"
            node = NodePlan(
                made_guid(name, device), "ca", f"{name} {device}", 1, name, slot=f"HCA {device}", device=device
            )
            nodes.append(node)
            connect(End(node.guid, 1), End(leaves[at // half, rail].guid, at % half + 1))
    for leaf in leaves.values():
        for up in range(half):
            top = tops[up % spines]
            used[top.guid] = used.get(top.guid, 0) + 1
            if used[top.guid] <= top.ports:
                connect(End(leaf.guid, half + up + 1), End(top.guid, used[top.guid]))
    return FabricPlan(tuple(nodes), tuple(cables))
