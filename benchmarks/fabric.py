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
GOALS_S = {12280: 0.3, 98304: 3.0, 307200: 60.0}
COMMAND_GOALS_S = {512: 0.4, 12280: 1.0}
FLAT = 1.1
"""How much more a link of the larger fabric may cost."""
FAULTS = ("swap", "cycle", "wrong_port", "chain", "missing", "exchanged_machines", "stranger", "narrow_link")
MOST_FAULTS = 40
_LINE = re.compile(r'\[?(\S+?)\]?\s*"?([^"\[]*)"?\[?(\d*)\]?(.*)')


def run(context: Context) -> list[Row]:
    rows = []
    each: dict[int, float] = {}  # processor time of one link, by links
    for shape in [*SIZES, *([GROWN] if context.growth else [])]:
        files, links, truth = _files(context.folder, shape)
        done = subprocess.run([sys.executable, "-m", "benchmarks.fabric", *files], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        once = json.loads(done.stdout)
        if once["counts"] != truth:
            raise RuntimeError(f"{links} links: {once['counts']} and not {truth}")
        rows.append(
            Row(
                f"fabric: {links} links diagnosed from files",
                f"{once['total_s']:.2f} s",
                f"reading {once['read_s']:.2f} s, {once['processor_s']:.2f} s of processor, "
                f"{once['memory_mb']:.0f} MB, "
                f"{once['processor_s'] / once['lines_s']:.1f} times one pass over the lines; no switch named",
                _goal(GOALS_S, links),
            )
        )
        each[links] = once["processor_s"] / links
        rows.append(_command(files, links, truth))
    fewer, more = sorted(each)[1:3]
    rows.append(
        Row(
            "fabric: cost of a link, the larger fabric to the smaller",
            f"{each[more] / each[fewer]:.2f}",
            f"{each[fewer] * 1e6:.1f} us of processor at {fewer} links, {each[more] * 1e6:.1f} at {more}",
            f"{FLAT:g} or less",
        )
    )
    return rows


def _goal(goals: dict[int, float], links: int) -> str:
    return f"{goals[links]:g} s or less" if links in goals else ""


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
    return Row(
        f"fabric: {links} links, `manage.py fabric diagnose` as a command",
        f"{min(spent):.2f} s of processor",
        "start of the process included, the service is not loaded",
        _goal(COMMAND_GOALS_S, links),
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
