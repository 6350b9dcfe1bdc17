"""A fabric against its plan, from files and without a database: 512, 12,280 and 100,000 links, with 40 faults.

Each size runs in a process of its own, as `manage.py fabric diagnose` does, so that its memory is its own. Imports are
not counted. The ratio is to going once over the lines of the same files with one regular expression, on this machine.
"""

from __future__ import annotations

import gc
import json
import random
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.report import Context, Row
from fabric.from_files import read
from fabric.reconcile.diagnose import diagnose
from fabric.tests import made_texts
from fabric.tests.made import FACTORY_NAME, Shape, made
from fabric.tests.made_faults import inject_all

SIZES = (Shape(machines=32), Shape(machines=511), Shape(machines=4096, radix=128))
GROWN = Shape(machines=12800, radix=128)
TARGETS_S = {12280: 1.0, 307200: 60.0}
FAULTS = ("swap", "cycle", "wrong_port", "chain", "missing", "exchanged_machines", "stranger", "narrow_link")
MOST_FAULTS = 40
_LINE = re.compile(r'\[?(\S+?)\]?\s*"?([^"\[]*)"?\[?(\d*)\]?(.*)')


def run(context: Context) -> list[Row]:
    rows = []
    for shape in [*SIZES, *([GROWN] if context.growth else [])]:
        files, links, truth = _files(context.folder, shape)
        done = subprocess.run([sys.executable, "-m", "benchmarks.fabric", *files], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        once = json.loads(done.stdout)
        if once["counts"] != truth:
            raise RuntimeError(f"{links} links: {once['counts']} and not {truth}")
        target = f"; target {TARGETS_S[links]:g} s" if links in TARGETS_S else ""
        rows.append(
            Row(
                f"fabric: {links} links diagnosed from files",
                f"{once['total_s']:.2f} s",
                f"reading {once['read_s']:.2f} s, {once['processor_s']:.2f} s of processor, "
                f"{once['memory_mb']:.0f} MB, "
                f"{once['processor_s'] / once['lines_s']:.1f} times one pass over the lines; no switch named{target}",
            )
        )
        rows.append(_command(files, links, truth))
    return rows


def _command(files: list[str], links: int, truth: dict[str, int]) -> Row:
    """The same as a person types it: the whole process, its start included; the best of three."""
    plan, observed, told = files
    arguments = ["manage.py", "fabric", "diagnose", f"--plan={plan}", f"--observed={observed}", f"--links={told}"]
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, *arguments, "--json"], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode or json.loads(done.stdout)["counts"] != truth:
            raise RuntimeError(done.stderr[-500:] or "the command counts otherwise")
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    target = "; target 1 s" if links == 12280 else ""
    return Row(
        f"fabric: {links} links, `manage.py fabric diagnose` as a command",
        f"{min(spent):.2f} s of processor",
        f"start of the process included, the service is not loaded{target}",
    )


def _files(folder: Path, shape: Shape) -> tuple[list[str], int, dict[str, int]]:
    """Plan, ibnetdiscover and iblinkinfo of a fabric with faults in which no switch has a name; and its true counts."""
    fabric = made(shape)
    number = MOST_FAULTS if shape.machines > 64 else 4
    inject_all(fabric, random.Random(1).choices(FAULTS, k=number))
    truth = asdict(fabric.truth())
    seen = fabric.seen()
    switches = list(fabric.names())
    fabric.factory.update(switches)
    truth["renames"] += len(switches)
    for guid in switches:
        node = seen.nodes[guid]
        seen.nodes[guid] = type(node)(guid, node.kind, FACTORY_NAME, node.ports, node.system_guid, node.lid)
    texts = {
        "plan": made_texts.plan_csv(fabric.plan),
        "observed": made_texts.ibnetdiscover(seen, offset=1),
        "links": made_texts.iblinkinfo(seen, offset=1),
    }
    paths = []
    for name, text in texts.items():
        path = folder / f"fabric-{shape.machines}.{name}"
        path.write_text(text)
        paths.append(str(path))
    return paths, len(fabric.plan.cables), truth


def measure(plan: str, observed: str, links: str) -> dict[str, object]:
    """One run, in this process."""
    gc.disable()
    began = time.process_time()
    for path in (plan, observed, links):
        for line in Path(path).read_text().splitlines():
            _LINE.match(line)
    lines_s = time.process_time() - began
    began = time.perf_counter()
    processor = time.process_time()
    planned, seen = read(plan, observed, links, None)
    read_s = time.perf_counter() - began
    diagnosis = diagnose(planned, seen)
    return {
        "lines_s": lines_s,
        "read_s": read_s,
        "total_s": time.perf_counter() - began,
        "processor_s": time.process_time() - processor,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "counts": diagnosis.counts,
    }


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:4])))
