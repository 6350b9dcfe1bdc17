"""The lines of a kernel log without their stamps, in any form that `kernel_log` reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Priority, facility and level; then a stamp, the program of syslog, the thread.
_PREFIX = re.compile(
    r"^(?:<\d+>)?\s*(?:\w+\s*:\w+\s*:\s*)?"
    r"(?:\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]{8} \d{4}\]\s*|\d{4}-\d\d-\d\dT[\d:,.]+(?:Z|[+-]\d\d:?\d\d)?\s+|"
    r"[A-Z][a-z]{2} \d{4}-\d\d-\d\d [\d:.]+ [A-Z+\d:-]+\s+|\d{9,11}\.\d{6}\s+|[A-Z][a-z]{2} +\d+ [\d:]{8}\s+)?"
    r"(?:\S+ kernel: |kernel: )?(?:\[\s*\d+\.\d{6}\]\s*)?(?:\S+ kernel: |kernel: )?(?:\[\s*[TC]\d+\]\s*)?"
    r"(?:\S+ (?=systemd[\w-]*\[\d+\]: ))?"
)
# Of a multi-line report only its first line is a kind of its own.
_CONTINUED = re.compile(
    r"^(?: |\t|Call Trace:|</?TASK>|RIP: |RSP: |RAX: |RDX: |RBP: |R\d\d: |CR2: |CS: |FS: |Code: |Modules linked in|"
    r"---\[|={20,}$|CPU: \d+ (?:UID: \d+ )?PID: |Hardware name: |Tainted: |\? |[0-9a-fA-F]{8}: |"
    # The firmware's report and the processor's: what stands behind the line that tells how bad it is.
    r"(?:\{\d+\})?\[Hardware Error\]: (?:  ?\S| Error \d+, type: |Hardware error from APEI|It has been corrected|"
    r"CPU:\d+ \(\w+:\w+:\w+\) MC\d+_STATUS\[[^\]]*\|CE\||Error Addr: |PPIN: |IPID: |Syndrome: |"
    r"[\w ]+ Ext\. Error Code: \d+|cache level: |TSC |PROCESSOR |APIC )|"
    # A PCIe error's: the line with its severity is the one that is judged.
    r"\S+ [0-9a-f:.]+:(?: AER:)?(?: {2,}(?:device \[|\[ ?\d+\] |TLP Header)|"
    r" aer_(?:status|layer|uncor_severity|agent))|"
    # What the kernel tells of memory when it kills for it.
    r"(?:memory|swap|kmem): usage \d+kB, |Memory cgroup stats for |Tasks state \(|\[ +pid +\]|"
    r"(?:(?:in)?active|anon|file|kernel|slab|sock|shmem|pg|workingset|thp|zswp|unevictable|percpu|(?:sec_)?pagetables|vmalloc|"
    r"swapcached|total|cache|rss|mapped_file|dirty|writeback)\w* \d+$|"
    r"\[ *\d+\] +\d+ +\d+ +\d+ +\d+ |\S+ invoked oom-killer: |oom-kill:constraint=|oom_reaper: reaped |Mem-Info:|"
    r"Node \d+ (?:active_anon:|DMA|Normal|Movable|hugepages_total)|lowmem_reserve\[\]|active_anon:|"
    r"\d+ (?:total pagecache pages|pages )|Unreclaimable slab info:|"
    r"\?? ?[\w.]+\+0x[0-9a-f]+/0x[0-9a-f]+(?: \[[\w ]+\])?$)"
)


def body_of(line: str) -> str:
    """What the kernel said: the line without priority, stamp, program and thread."""
    found = _PREFIX.match(line)
    return line[found.end() :].rstrip() if found else line.rstrip()


def bodies(text: str) -> Iterator[tuple[str, str]]:
    """(line, what the kernel said in it) of all lines that begin a message."""
    for line in text.splitlines():
        body = body_of(line)
        if body and not _CONTINUED.match(body):
            yield line, body
