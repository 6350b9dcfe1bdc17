"""The kernel log as people print it (`dmesg -H`, `-e`, `-d`, coloured) and journals that hold several starts."""

from __future__ import annotations

import json

import pytest

from health.checks.parsers.kernel_log import parse_kernel_log

LOST = "NVRM: Xid (PCI:0000:a1:00): 79, GPU has fallen off the bus."
WELL = "nvidia-uvm: Loaded the UVM driver, major device number 507."


@pytest.mark.parametrize(
    "text",
    [
        f"[Oct 8 21:10] {WELL}\n[  +0.000312] {LOST}\n",
        f"[Oct08 21:10] {LOST}\n[  +4.100021] {WELL}\n",
        f"kern  :err   : [Oct 8 21:10] {LOST}\n",
        f"[12345.123456 <    0.000012>] {LOST}\n",
        f"[Wed Oct  8 21:10:11 2025 <    0.000012>] {LOST}\n",
        f"\x1b[32m[12345.123456] \x1b[0m\x1b[33mNVRM: \x1b[0m\x1b[31m{LOST[6:]}\x1b[0m\n",
    ],
)
def test_forms_for_people_are_read(text: str) -> None:
    (xid,) = parse_kernel_log(text).xids
    assert (xid.address, xid.code) == ("0000:a1:00", 79)
    assert xid.at_us is not None or xid.clock_s is not None


def test_what_passed_since_the_line_before_adds_up() -> None:
    log = parse_kernel_log(f"[Oct 8 21:10] {LOST}\n[ +12.500000] {WELL}\n[ +61.500000] {LOST}\n")
    first, second = (xid.clock_s or 0.0 for xid in log.xids)
    assert second - first == 74


OLD, NEW = "Oct 06 21:10:11", "Oct 08 09:00:02"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"{OLD} n1 kernel: {LOST}\n-- Boot {'1' * 32} --\n{NEW} n1 kernel: {WELL}\n", []),
        (f"{OLD} n1 kernel: {WELL}\n-- Boot {'1' * 32} --\n{NEW} n1 kernel: {LOST}\n", [79]),
        (f"{OLD} n1 kernel: {LOST}\n-- Reboot --\n{NEW} n1 kernel: {WELL}\n", []),
        # printed backwards (journalctl -r)
        (f"{NEW} n1 kernel: {LOST}\n-- Boot {'1' * 32} --\n{OLD} n1 kernel: {WELL}\n", [79]),
        # stamps that do not say which start is the newer
        (f"[ 9.000001] n1 kernel: {LOST}\n-- Boot {'1' * 32} --\n[ 8.000001] n1 kernel: {WELL}\n", [79]),
    ],
)
def test_of_several_starts_only_the_newest_counts(text: str, codes: list[int]) -> None:
    assert [xid.code for xid in parse_kernel_log(text).xids] == codes


@pytest.mark.parametrize("backwards", [False, True])
def test_of_several_starts_in_json_only_the_newest_counts(backwards: bool) -> None:
    rows = [
        {"_BOOT_ID": boot * 32, "__REALTIME_TIMESTAMP": at, "_TRANSPORT": "kernel", "MESSAGE": said}
        for boot, at, said in (("1", "1759800000000000", LOST), ("2", "1759900000000000", WELL))
    ]
    text = "\n".join(json.dumps(row) for row in (reversed(rows) if backwards else rows))
    log = parse_kernel_log(text)
    assert (log.xids, WELL in log.text) == ((), True)
    rows[1]["MESSAGE"], rows[0]["MESSAGE"] = LOST, WELL
    assert [xid.code for xid in parse_kernel_log("\n".join(map(json.dumps, rows))).xids] == [79]
