"""What a machine of the virtual hall answers to a command: a line a person types, or the whole probe script.

The probe is recognised by its `run SECONDS 'COMMAND'` lines and answered in one JSON document, each output
gzipped and base64-encoded, as the script itself would do on a real machine.
"""

from __future__ import annotations

import base64
import functools
import json
import random
import re
import shlex
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from simulator import services
from simulator.fabric import commands, perftest
from simulator.machine import bug_report, images, jobs
from simulator.outputs import (
    active,
    amd,
    around,
    cluster,
    evidence,
    hardware,
    host,
    ibstat,
    kernel,
    nvme,
    state_files,
    sysfs,
    system,
    training,
    workload,
)
from simulator.outputs.nvidia import nvidia_smi, nvlink
from simulator.plan import GpuPlan
from simulator.state import Machine

_PROBE_LINE = re.compile(r"^run (\d+) '([^']*)'(?: '[^']*')?$", re.MULTILINE)
_QUIET = re.compile(r"\s*(?:2>\s*&1|[12]?>\s*/dev/null|</dev/null)")
_LOOP = re.compile(r"^for (\w+) in ([^;]*); do (.*); done$")
_INNER = re.compile(r"\$\(([^()]*)\)")
_NOISE = re.compile(r"^(?:sudo(?: -n)?|env|exec|timeout(?: -k \S+)? \S+|LC_ALL=\S+|LANG=\S+)\s+")
_BY_ROOT = "sudo -n sh -c '"
TIMED_OUT = 124
NOT_FOUND = 127
# How long each tool takes on a real machine, in milliseconds, for the probe's `ms`.
_TAKES_MS = {"nvidia-smi": 900, "ibstat": 45, "docker": 120, "nvme": 25}
# How long an output may be shown again while nothing happens to the machine: sensors move, lists of parts do not.
_FRESH_S = {
    "nvidia-smi --query-compute-apps=pid,gpu_uuid,used_gpu_memory": 3600.0,
    "nvidia-smi -q": 60.0, "nvidia-smi topo": 3600.0, "nvidia-smi nvlink": 3600.0, "nvme smart-log": 600.0,
    "nvme list": 3600.0, "ibstat": 3600.0, "dmesg": 3600.0, "df": 3600.0, "systemctl is-active": 3600.0,
    "docker info": 60.0, "docker image": 3600.0, "lsmod": 3600.0, "grep": 600.0, "cat /proc/meminfo": 600.0,
    "cat /proc/mounts": 3600.0,
    "lspci": 3600.0, "for": 3600.0, "lsblk": 3600.0, "zpool": 3600.0, "docker run": 3600.0, "scontrol": 60.0,
    "asked=;": 3600.0, "amd-smi": 60.0, "crictl": 60.0,
    "cat /proc/sys/kernel/osrelease": 3600.0, "systemctl --failed": 3600.0, "dmidecode": 3600.0,
}  # fmt: skip
_SETTLED_S = 600.0
_GPU_TOOLS = ("nvidia-smi", "amd-smi")


@dataclass(frozen=True)
class Reply:
    """An answer: exit status, text, what the machine then does (reboot, poweroff), and how long it takes.

    `delay_s` of None means that it never answers. With `wait`, the answer is what that returns once it returns one: it
    is asked again and again with the time. With `more`, the text is printed at once and, `delay_s` later, what `more`
    returns at that time.
    """

    status: int
    text: str
    then: str = ""
    delay_s: float | None = 0.0
    wait: Callable[[float], Reply | None] | None = None
    more: Callable[[float], Reply] | None = None

    def whole(self, now: float) -> Reply:
        """The same with everything that comes later, for whoever needs not wait: all text, and the seconds it took."""
        reply, text, at = self, self.text, now
        while reply.more is not None:
            at += reply.delay_s or 0.0
            reply = reply.more(at)
            text += reply.text
        return replace(reply, text=text, delay_s=None if reply.delay_s is None else at - now + reply.delay_s)


def execute(machine: Machine, command: str, now: float) -> Reply:
    """Answer what was sent over SSH: a probe script or a command line."""
    command = _plain(command)
    lines = _probe_lines(command)
    if machine.fault("binary_junk"):
        return Reply(0, _junk(now))
    if lines:
        return _probe(machine, lines, now)
    if workload.asked(command):
        text, delay_s = workload.answer(machine, jobs.running(machine, now), now)
        return Reply(0, text, delay_s=delay_s)
    if around.sources_asked(command):
        return Reply(0, around.sources(machine, command))
    if bug_report.asked(command):
        tools, log = run_line(machine, "nvidia-smi -q", now).text, run_line(machine, "dmesg", now).text
        return Reply(
            0, bug_report.packed(tools, log, "uname: Linux\nhttp_proxy=http://proxy:pr0xyPassw0rd@10.0.0.1:3128")
        )
    if evidence.asked(command):
        return Reply(0, evidence.answer(machine, command, now))
    if answer := jobs.answer(machine, command, now, run_line):
        return Reply(*answer)
    if _hangs(machine, command):
        return Reply(0, "", delay_s=None)
    return run_line(machine, command, now)


@functools.lru_cache(maxsize=64)
def _probe_lines(command: str) -> tuple[tuple[int, str], ...]:
    """Seconds and line of each command of a probe; machines of a model are sent the same, and share these texts."""
    return tuple((int(seconds), line) for seconds, line in _PROBE_LINE.findall(command))


def _plain(command: str) -> str:
    """A script that is run by root's shell is the same script here."""
    if not command.startswith(_BY_ROOT) or workload.asked(command):
        return command
    return shlex.split(command)[-1]


def _hangs(machine: Machine, command: str) -> bool:
    fault = machine.fault("command_hangs")
    return fault is not None and command.strip().startswith(str(fault.params["command"]))


def _junk(now: float) -> str:
    return random.Random(now).randbytes(4096).decode("utf-8", "surrogateescape")


# ---- the probe ----


_HEAD = '{"rackside_probe": 1, "outputs": ['


def _probe(
    machine: Machine,
    lines: tuple[tuple[int, str], ...],
    now: float,
    *,
    opening: str = _HEAD,
    first: tuple[str, ...] = (),
    hung: frozenset[str] = frozenset(),
) -> Reply:
    """The probe's document, printed as the script prints it: what comes before a command that hangs is out at once.

    The rest follows when that command's time is over, and is read only then; start, uptime and clock last of all. A
    tool that hung is not run a second time.
    """
    outputs = list(first)
    for at, (seconds, line) in enumerate(lines):
        tool = line.split()[0]
        if tool in hung:
            outputs.append(_output(line, TIMED_OUT, 0, f"not run: {tool} hung before\n"))
        elif _hangs(machine, line):
            rest = functools.partial(
                _probe,
                machine,
                lines[at + 1 :],
                opening=", " if outputs else "",
                first=(_output(line, TIMED_OUT, seconds * 1000, ""),),
                hung=hung | {tool},
            )
            return Reply(0, opening + ", ".join(outputs), delay_s=seconds, more=rest)
        else:
            outputs.append(_kept_output(machine, line, now))
    tail = json.dumps({
        "boot_id": machine.state.boot_id,
        "uptime_s": round(machine.uptime_s(now), 2),
        "time": round(machine.wall_clock(now), 3),
        "complete": True,
    })  # fmt: skip
    return Reply(0, f"{opening}{', '.join(outputs)}], {tail[1:]}\n")


def _kept_output(machine: Machine, line: str, now: float) -> str:
    """The packed output of one line, made anew only when the machine changed or a reading has grown old."""
    kept = machine.kept_outputs.get(line)
    if kept and kept[0] == machine.state.revision and now < kept[1]:
        return kept[2]
    reply = run_line(machine, line, now)
    words = line.split()
    took_ms = _TAKES_MS.get(words[0], 3) + machine.plan.seed % 17
    output = _output(line, reply.status, took_ms, reply.text)
    fresh_s = _FRESH_S.get(" ".join(words[:2]), _FRESH_S.get(words[0], 0.0))
    if machine.uptime_s(now) < _SETTLED_S:
        fresh_s = 0.0
    elif words[0] in _GPU_TOOLS and machine.room is not None and machine.room.moving(now):
        fresh_s = 0.0  # its temperatures are on their way
    output = sys.intern(output)  # machines of a model say much the same
    machine.kept_outputs[line] = (machine.state.revision, now + fresh_s, output)
    return output


def _output(command: str, status: int, took_ms: int, text: str) -> str:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = packer.compress(text.encode("utf-8", "surrogateescape")) + packer.flush()
    out = base64.b64encode(packed).decode()
    return f'{{"command": {json.dumps(command)}, "exit": {status}, "ms": {took_ms}, "out": "{out}"}}'


# ---- a line as a person types it ----


def run_line(machine: Machine, line: str, now: float) -> Reply:
    """A command line: `;` and `&&` between commands, and the few filters people pipe into."""
    if moved := images.moved(machine, line):
        return Reply(*moved)
    for start, answer in _SCRIPTS:
        if line.startswith(start):
            return answer(machine)
    try:
        return _line(machine, line, now)
    except ValueError as error:  # an open quotation
        return Reply(2, f"bash: syntax error: {error}\n")


def _line(machine: Machine, line: str, now: float) -> Reply:
    text, status, delay_s = "", 0, 0.0
    if loop := _LOOP.match(line):
        name, words, body = loop.groups()
        body = body.replace(f'"${name}"', f"${name}")
        replies = [_line(machine, body.replace(f"${name}", word), now) for word in words.split()]
        return Reply(replies[-1].status if replies else 0, "".join(reply.text for reply in replies))
    for joint, part in _sequence(line):
        if (joint == "&&" and status) or (joint == "||" and not status):
            continue
        first, *filters = _pipeline(part)
        reply = _simple(machine, first, now)
        status = reply.status
        output = reply.text
        for one in filters:
            status, output = _filter(shlex.split(one), output)
        text += output
        if reply.wait or reply.delay_s is None:
            return reply
        delay_s += reply.delay_s
        if reply.then:
            return Reply(status, text, then=reply.then)
    return Reply(status, text, delay_s=delay_s)


@functools.lru_cache(maxsize=512)
def _sequence(line: str) -> list[tuple[str, str]]:
    """The commands of a line, each with the joint before it."""
    pieces = re.split(r"(;|&&|\|\||\n)(?=(?:[^'\"]*['\"][^'\"]*['\"])*[^'\"]*$)", line)
    joints = ["", *pieces[1::2]]
    return [(joint, piece.strip()) for joint, piece in zip(joints, pieces[::2], strict=True) if piece.strip()]


@functools.lru_cache(maxsize=512)
def _pipeline(text: str) -> list[str]:
    """The commands of a pipe."""
    lexer = shlex.shlex(text, posix=False, punctuation_chars="|")
    lexer.whitespace_split = True
    parts: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(words) for words in parts]


def _filter(argv: list[str], text: str) -> tuple[int, str]:
    """grep, head, tail and wc -l, as far as people use them here."""
    lines = text.splitlines(keepends=True)
    flags = "".join(word[1:] for word in argv[1:] if word.startswith("-"))
    words = [word for word in argv[1:] if not word.startswith("-")]
    if argv[0] in ("grep", "egrep") and words:
        patterns = [word for flag, word in pairwise(argv) if flag == "-e"] or words[:1]
        wanted = re.compile("|".join(patterns), re.IGNORECASE if "i" in flags else 0)
        kept = [line for line in lines if bool(wanted.search(line)) != ("v" in flags)]
        return int(not kept), f"{len(kept)}\n" if "c" in flags else "".join(kept)
    if argv[0] in ("head", "tail"):
        digits = "".join(c for c in flags if c.isdigit()) or (words[0] if words else "10")
        count = int(digits) if digits.isdigit() else 10
        return 0, "".join(lines[:count] if argv[0] == "head" else lines[-count:])
    if argv[0] == "wc":
        return 0, f"{len(lines)}\n"
    if argv[0] == "cat":
        return 0, text
    return NOT_FOUND, f"bash: {argv[0]}: command not found\n"


@functools.lru_cache(maxsize=512)
def _words(command: str) -> list[str]:
    return shlex.split(command)


def _simple(machine: Machine, command: str, now: float) -> Reply:
    command = _INNER.sub(lambda inner: run_line(machine, inner.group(1), now).text.strip(), command)
    command = _QUIET.sub("", command).strip()
    while found := _NOISE.match(command):
        command = command[found.end() :]
    argv = _words(command)
    if not argv:
        return Reply(0, "")
    tool = TOOLS.get(argv[0].rsplit("/", 1)[-1])
    if tool is None:
        return Reply(NOT_FOUND, f"bash: {argv[0]}: command not found\n")
    return tool(machine, argv[1:], now)


# ---- the tools ----


def _nvidia_smi(machine: Machine, args: list[str], now: float) -> Reply:
    if not machine.plan.gpus:
        return Reply(NOT_FOUND, "bash: nvidia-smi: command not found\n")
    if args[:1] == ["topo"]:
        return Reply(0, nvlink.peers(machine) if "-p2p" in args else nvlink.topology(machine))
    if args[:1] == ["nvlink"]:
        counters = "-e" in args or "--errorcounters" in args
        return Reply(0, nvlink.errors(machine) if counters else nvlink.status(machine))
    if "-L" in args or "--list-gpus" in args:
        return Reply(0, nvidia_smi.list_gpus(machine))
    if "-pl" in args or "--power-limit" in args:
        return _power_limit(machine, args)
    if "-r" in args or "--gpu-reset" in args:
        return _gpu_reset(machine, args)
    options = dict(word[2:].split("=", 1) for word in args if word.startswith("--") and "=" in word)
    if "query-compute-apps" in options:
        name = ", /usr/bin/python3" if "process_name" in options["query-compute-apps"] else ""
        listed = [*(4242 + n for n in range(machine.jobs())), *training.pids(machine)]
        return Reply(0, "".join(f"{pid}{name}\n" for pid in listed))
    if "query-gpu" in options:
        fields, form = options["query-gpu"].split(","), options.get("format", "csv").split(",")
        return Reply(*nvidia_smi.query_csv(machine, fields, form, now))
    if "-q" in args or "--query" in args:
        as_xml = "-x" in args or "--xml-format" in args
        return Reply(0, nvidia_smi.query_xml(machine, now) if as_xml else nvidia_smi.query_text(machine, now))
    if args:
        return Reply(2, f"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n{args[0]}\n")
    return Reply(0 if machine.listed_gpus() else 6, nvidia_smi.table(machine, now))


def _named_gpus(machine: Machine, args: list[str]) -> list[GpuPlan]:
    """Those of `-i INDEX|UUID|PCI`, or all that are listed."""
    listed = machine.listed_gpus()
    if "-i" not in args or args[-1] == "-i":
        return listed
    wanted = {name for word in args[args.index("-i") + 1].split(",") for name in (word, word.lower())}
    return [
        gpu
        for index, gpu in enumerate(listed)
        if wanted & {str(index), machine.part(gpu.slot).uuid, gpu.pci.lower(), nvidia_smi.bus_id(gpu.pci).lower()}
    ]


def _power_limit(machine: Machine, args: list[str]) -> Reply:
    """`nvidia-smi [-i ..] -pl WATTS`."""
    flag = "-pl" if "-pl" in args else "--power-limit"
    watts = float(args[args.index(flag) + 1])
    low, high = nvidia_smi.LIMITS_W
    gpus, text = _named_gpus(machine, args), ""
    if not gpus:
        return Reply(6, "No devices were found\n")
    for gpu in gpus:
        where = nvidia_smi.bus_id(gpu.pci)
        if not low <= watts <= high:
            valid = f"A valid power limit is between {low:.2f} W and {high:.2f} W."
            said = f"Provided power limit {watts:.2f} W is not a valid power limit for GPU {where}."
            return Reply(255, f"{said}\n{valid}\n")
        before = machine.state.gpu_limits_w.get(gpu.slot, high)
        machine.state.gpu_limits_w[gpu.slot] = watts
        text += f"Power limit for GPU {where} was set to {watts:.2f} W from {before:.2f} W.\n"
    machine.touch()
    return Reply(0, text + "All done.\n")


def _gpu_reset(machine: Machine, args: list[str]) -> Reply:
    """`nvidia-smi --gpu-reset [-i INDEX|UUID|PCI]`: all listed GPUs when none is named."""
    chosen = {gpu.slot for gpu in _named_gpus(machine, args)}
    if not chosen:
        return Reply(6, "No devices were found\n")
    if machine.jobs():
        return Reply(1, "The following GPUs could not be reset:\n  GPU 00000000:1B:00.0: In use by another client\n")
    machine.reset_gpus(chosen)
    done = [gpu for gpu in machine.listed_gpus() if gpu.slot in chosen]
    text = "".join(f"GPU {nvidia_smi.bus_id(gpu.pci)} was successfully reset.\n" for gpu in done)
    return Reply(0, text + "All done.\n")


def _in_time(answer: images.Answer | images.Pull, now: float) -> Reply:
    """What is pulled lies there when it is through, and not before."""
    first, second = answer
    if not callable(second):
        return Reply(int(first), second)
    until = now + first

    def wait(now: float) -> Reply | None:
        return Reply(*second()) if now >= until else None

    return Reply(0, "", wait=wait)


def _docker(machine: Machine, args: list[str], now: float) -> Reply:
    if args[:1] == ["run"]:
        return Reply(*around.docker_run(machine, args[1:]))
    if (answer := images.docker(machine, args)) is not None:
        return _in_time(answer, now)
    if args[:1] != ["info"]:
        return Reply(1, f"docker: '{' '.join(args)}' is not here; only docker info, run, ps, pull, tag and image\n")
    as_json = any("json" in word for word in args)
    return Reply(*(host.docker_info_json if as_json else host.docker_info_text)(machine, now))


def _systemctl(machine: Machine, args: list[str], now: float) -> Reply:
    verb, units = (args[0], [word for word in args[1:] if not word.startswith("-")]) if args else ("", [])
    if "--failed" in args:
        return Reply(0, system.failed_units(machine))
    if verb == "is-active":
        return Reply(*host.is_active(machine, units))
    if verb in ("restart", "start"):
        return Reply(*services.restart(machine, units))
    if verb in ("reboot", "poweroff"):
        return Reply(0, "", then=verb)
    return Reply(1, f"Unknown command verb {verb}.\n")


def _nvme(machine: Machine, args: list[str], now: float) -> Reply:
    if args[:1] == ["list"]:
        return Reply(0, nvme.listing(machine))
    device = next((word for word in args if word.startswith("/dev/nvme")), "")
    drive = nvme.drive(machine, device)
    if args[:1] != ["smart-log"] or drive is None:
        return Reply(1, f"{device or 'nvme'}: No such file or directory\n")
    return Reply(0, nvme.smart_log(machine, drive, now))


def _diags(tool: str) -> Callable[[Machine, list[str], float], Reply]:
    def run(machine: Machine, args: list[str], now: float) -> Reply:
        answer = commands.run_diags(machine, tool, args, now)
        return Reply(0, "", delay_s=None) if answer is None else Reply(*answer)

    return run


def _lldpctl(machine: Machine, args: list[str], now: float) -> Reply:
    answer = commands.lldpctl(machine, args, now)
    return Reply(0, "", delay_s=None) if answer is None else Reply(*answer)


def _perftest(tool: str) -> Callable[[Machine, list[str], float], Reply]:
    def run(machine: Machine, args: list[str], now: float) -> Reply:
        answer = commands.run_perftest(machine, tool, args, now)
        if not isinstance(answer, perftest.Waiting):
            status, text, seconds = answer
            return Reply(status, text, delay_s=seconds)

        def wait(now: float) -> Reply | None:
            if answer.answer is None or now < answer.answered_at:
                return None
            return Reply(answer.answer[0], perftest.server_text(answer))

        return Reply(0, "", wait=wait)

    return run


def _python(machine: Machine, args: list[str], now: float) -> Reply:
    """The service's scripts, which it sends along; no other program is here."""
    values = dict(pairwise(args))
    try:
        if "gpu_stress.py" in args:
            return _taking(active.stress(machine, float(values.get("--seconds", "300"))))
        if "train.py" in args:
            steps, world = int(values.get("--steps", "30")), int(values.get("--nproc-per-node", "1"))
            return _taking(active.training(machine, steps, world))
    except ValueError as error:
        return Reply(2, f"error: {error}\n")
    return Reply(2, f"python3: can't open file '{args[0] if args else ''}': No such file or directory\n")


def _taking(answer: active.Answer) -> Reply:
    status, text, seconds = answer
    return Reply(status, text, delay_s=seconds)


def _cat(machine: Machine, args: list[str], now: float) -> Reply:
    files: dict[str, Callable[[], str]] = {
        "/proc/uptime": lambda: kernel.uptime_file(machine, now),
        "/proc/sys/kernel/random/boot_id": lambda: machine.state.boot_id + "\n",
        "/sys/class/dmi/id/product_serial": lambda: machine.plan.serial + "\n",
        "/sys/class/dmi/id/product_uuid": lambda: machine.plan.system_uuid + "\n",
        "/sys/class/dmi/id/product_name": lambda: "PowerEdge XE9680\n",
        "/etc/hostname": lambda: machine.hostname + "\n",
    }
    text, status = "", 0
    for name in args:
        if name in files:
            text += files[name]()
        elif name in system.FILES:
            text += system.FILES[name](machine, now)
        else:
            text, status = text + f"cat: {name}: No such file or directory\n", 1
    return Reply(status, text)


def _grep(machine: Machine, args: list[str], now: float) -> Reply:
    """`grep -s . FILE...`, as the probe reads small files."""
    words = [word for word in args if not word.startswith("-")]
    if words == ["btime", "/proc/stat"]:
        return Reply(0, f"btime {int(machine.state.booted_at)}\n")
    if words[:1] != ["."]:
        return Reply(2, "Usage: grep [OPTION]... PATTERNS [FILE]...\n")
    if state_files.has(words[1:]):
        return Reply(*state_files.grep(machine, words[1:]))
    if sysfs.has(words[1:]):
        return Reply(*sysfs.grep(machine, args))
    return Reply(*system.grep_dot(machine, now, words[1:]))


def _then(what: str) -> Callable[[Machine, list[str], float], Reply]:
    return lambda machine, args, now: Reply(0, "", then=what)


def _echo(machine: Machine, args: list[str], now: float) -> Reply:
    return Reply(0, " ".join(args) + "\n")


def _mkdir(machine: Machine, args: list[str], now: float) -> Reply:
    """`mkdir FOLDER` under /run; one that is there is refused, as ever."""
    for name in args:
        if not name.startswith("/run/"):
            return Reply(1, f"mkdir: cannot create directory '{name}': No space left on device\n")
        if name in machine.state.folders:
            return Reply(1, f"mkdir: cannot create directory '{name}': File exists\n")
        machine.state.folders.append(name)
        machine.touch()
    return Reply(0, "")


def _test(machine: Machine, args: list[str], now: float) -> Reply:
    """`test -d FOLDER`"""
    return Reply(0 if args[:1] == ["-d"] and args[-1] in machine.state.folders else 1, "")


def _uname(machine: Machine, args: list[str], now: float) -> Reply:
    whole = f"Linux {machine.hostname} {kernel.KERNEL} #7-Ubuntu SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n"
    return Reply(
        0, {"-r": f"{kernel.KERNEL}\n", "-n": f"{machine.hostname}\n", "": "Linux\n"}.get("".join(args), whole)
    )


# Lines of the probe that are small programs: how they begin, and what they print.
_SCRIPTS: tuple[tuple[str, Callable[[Machine], Reply]], ...] = (
    ("nvidia-smi --query-compute-apps=pid,gpu_uuid,", lambda m: Reply(0, training.processes(m))),
    ("asked=;", lambda m: Reply(0, state_files.remote_mounts(m))),
    ("systemctl is-active kubelet; curl ", lambda m: Reply(*cluster.kubelet(m))),
    ("if command -v dpkg-query ", lambda m: Reply(*cluster.packages(m))),
)
TOOLS: dict[str, Callable[[Machine, list[str], float], Reply]] = {
    "nvidia-smi": _nvidia_smi,
    "amd-smi": lambda m, args, now: Reply(*amd.amd_smi(m, args, now)),
    "crictl": lambda m, args, now: Reply(*cluster.crictl(m)),
    "nvidia-imex-ctl": lambda m, args, now: Reply(*cluster.imex(m)),
    "ctr": lambda m, args, now: _in_time(images.ctr(m, args), now),
    "enroot": lambda m, args, now: _in_time(images.enroot(m, args), now),
    "find": lambda m, args, now: Reply(*images.find(m, args)),
    "rm": lambda m, args, now: Reply(*images.rm(m, args)),
    "ibstat": lambda m, args, now: Reply(*ibstat.ibstat(m, args[0] if args else "")),
    "dmesg": lambda m, args, now: Reply(0, kernel.dmesg(m, now, args)),
    "df": lambda m, args, now: Reply(0, host.df(m, args)),
    "docker": _docker,
    "systemctl": _systemctl,
    "nvme": _nvme,
    "cat": _cat,
    "grep": _grep,
    "lsmod": lambda m, args, now: Reply(0, sysfs.lsmod(m)),
    "dmidecode": lambda m, args, now: Reply(0, system.dmidecode(m)),
    "lspci": lambda m, args, now: Reply(0, hardware.bridges(m) if "-vv" in args else hardware.lspci(m, args)),
    "ps": lambda m, args, now: Reply(0, kernel.processes(m, now)),
    "stat": lambda m, args, now: Reply(*kernel.stat(m, args)),
    "flint": lambda m, args, now: Reply(*hardware.flint(m, args)),
    "mst": lambda m, args, now: Reply(0, hardware.mst_status(m)),
    "lsblk": lambda m, args, now: Reply(0, hardware.lsblk(m)),
    "zpool": lambda m, args, now: Reply(0, hardware.zpool_status(m)),
    "curl": lambda m, args, now: Reply(*around.curl(args)),
    "scontrol": lambda m, args, now: Reply(*around.scontrol(m, args)),
    "swapon": lambda m, args, now: Reply(0, ""),
    "ntpq": lambda m, args, now: Reply(1, "ntpq: read: Connection refused\n"),
    "uptime": lambda m, args, now: Reply(0, kernel.uptime(m, now)),
    "date": lambda m, args, now: Reply(0, kernel.date(m, now, args)),
    "chronyc": lambda m, args, now: Reply(0, host.chrony_tracking(m, now)),
    "timedatectl": lambda m, args, now: Reply(0, host.timedatectl_show(m, now)),
    "hostname": lambda m, args, now: Reply(0, m.hostname + "\n"),
    "uname": _uname,
    "who": lambda m, args, now: Reply(0, "".join(f"{name} pts/0 2026-03-02 11:02 (10.0.0.9)\n" for name in m.people())),
    "whoami": lambda m, args, now: Reply(0, "root\n"),
    "echo": _echo,
    "mkdir": _mkdir,
    "test": _test,
    "true": lambda m, args, now: Reply(0, ""),
    "false": lambda m, args, now: Reply(1, ""),
    "reboot": _then("reboot"),
    "poweroff": _then("poweroff"),
    "lldpctl": _lldpctl,
    "dcgmi": lambda m, args, now: _taking(active.dcgmi(m, args)),
    "nvbandwidth": lambda m, args, now: _taking(active.nvbandwidth(m, args)),
    "all_reduce_perf": lambda m, args, now: _taking(active.all_reduce(m, args)),
    "mpirun": lambda m, args, now: _taking(active.mpirun(m, args)),
    "python3": _python,
    **{tool: _diags(tool) for tool in commands.DIAGS},
    **{tool: _perftest(tool) for tool in commands.PERFTEST},
    "shutdown": lambda m, args, now: Reply(0, "", then="reboot" if "-r" in args else "poweroff"),
}
