"""Commands around GPUs and network cards that a sweep does not ask for by itself, and how they are read."""

from __future__ import annotations

from health.checks.parsers import (
    all_reduce,
    card_files,
    hca_tools,
    ib_counters,
    load_tests,
    pci_links,
    validation,
    ways,
)
from health.checks.tool import any_status, of_text, tool

CARD_TOOLS = (
    tool(
        "hca_self_test.ofed",
        "self_test",
        r"^(?:flock .*)?hca_self_test\.ofed\b",
        of_text(hca_tools.parse_self_test),
        explains=lambda found, _: found.names_trouble(),
    ),
    tool(
        "flint query",
        "flint",
        r"^(?:for \w+ in .*\bflint\b|(?:mst)?flint\b.*\b(?:q|query)\b)",
        lambda output: hca_tools.parse_flint(output.text, output.command),
        whole=any_status,  # of the last card only; each card's own lines say whether it answered
    ),
    tool("mst status", "mst", r"^mst status\b", of_text(hca_tools.parse_mst)),
    tool("nvidia-smi topo -p2p", "peers", r"^nvidia-smi topo (?:.*\s)?-p2p\b", of_text(ways.parse_peers)),
    tool("lspci -vv", "bridges", r"^lspci (?=.*-v+\b)(?=.*\|)", of_text(ways.parse_bridges)),
    tool(
        "grep . /sys/class/infiniband_verbs/...",
        "card_files",
        r"^grep .*/sys/class/infiniband_verbs/",
        of_text(card_files.parse_card_files),
        whole=any_status,  # grep's, of files that not every machine has; the last file tells the end
    ),
    tool(
        "grep . /sys/class/infiniband/...",
        "ib_counters",
        r"^(?:grep|cat|find) .*/sys/class/infiniband/.*counters",
        of_text(ib_counters.parse_ib_counters),
        whole=any_status,  # grep's, of counters that not every card has
    ),
    tool(
        "grep . /sys/bus/pci/devices/...",
        "pci_links",
        r"^(?:grep|cat) .*/sys/(?:bus/pci/devices|class/nvme)/.*_link_",
        of_text(pci_links.parse_pci_links),
        whole=any_status,  # grep's; a device that is not there is not told
    ),
    tool(
        "dcgmi diag -j",
        "diag",
        r"^dcgmi diag\b",
        of_text(validation.parse_diag),
        explains=lambda found, _: found.names_trouble(),
    ),
    tool(
        "ib_write_bw",
        "ib_write_bw",
        r"^ib_write_bw\b",
        lambda output: validation.parse_bandwidth(output.text, output.command),
    ),
    tool(
        "ib_write_lat",
        "ib_write_lat",
        r"^ib_write_lat\b",
        lambda output: validation.parse_latency(output.text, output.command),
    ),
    tool("nvbandwidth", "nvbandwidth", r"^nvbandwidth\b", of_text(load_tests.parse_nvbandwidth)),
    tool(
        "all_reduce_perf",
        "all_reduce_perf",
        r"^(?:(?:mpirun|srun) .*\b)?all_reduce_perf\b",
        of_text(all_reduce.parse_all_reduce),
    ),
    tool("gpu_stress", "gpu_stress", r"^(?:python3? .*)?gpu_stress(?:\.py)?\b", of_text(load_tests.parse_stress)),
    tool("train", "training", r"^(?:torchrun .*\b)?train(?:\.py)\b", of_text(load_tests.parse_training)),
)
