"""Jobs on a machine that outlive the SSH session that began them: scripts to start, look at, stop and tidy one.

A job is a folder on the machine. Making the folder is what begins it, so that a start which is sent again after a crash
of ours finds it there and begins nothing. The folder remembers the boot it began in: a number of a process from before
a reboot is never asked for, let alone killed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from drivers import shell
from health.diagnostics.commands import Command

FOLDER = "/var/tmp/rackside-active"
SECRETS = "/run/rackside-jobs"
"""In memory: of each job that is told a secret a folder for it, as long as the job goes on."""
MOST_BYTES = 4_000_000
MOST_TROUBLE_BYTES = 4_000
MARK = "rackside-job"
_NAME = re.compile(r"[0-9]+(?:\.[0-9]+){1,3}(?:-[a-z]+[0-9]*)?")
_END = "RACKSIDE_END_OF_FILE"
_BOOT = "/proc/sys/kernel/random/boot_id"
State = Literal["done", "running", "lost", "refused", "unknown"]


@dataclass(frozen=True)
class Look:
    """How a job is. `exit_status` and `text` of one that is done, `text` of one that was asked how far it is.

    `lost`: it is gone without a result; `refused`: it was never begun, and would not be the next time.
    """

    state: State
    exit_status: int = 0
    text: str = ""
    trouble: str = ""


def secrets_of(name: str) -> str:
    """The folder of a job for what it was told in secret."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name} is no name of a job")
    return f"{SECRETS}/{name}"


def start(name: str, command: Command, limit_s: int, *, folder: str = FOLDER, secret: str = "") -> str:
    """Begin a job unless it was begun before. Every job ends by itself under `timeout`.

    `secret` names the file of `secrets_of` that takes what the script reads from its standard input; the folder goes
    with the job.
    """
    place = _place(name, folder)
    files = "".join(_file(each, text) for each, text in command.files.items())
    lead = f"sleep {command.lead_s}\n" if command.lead_s else ""
    job = f'cd "$1" || exit 1\n{lead}timeout -k 30 {limit_s} {command.line} >out 2>err </dev/null &\n'
    # timeout makes a group of processes of its own, which is the one to end.
    own = shell.word(secrets_of(name))
    forget = f"rm -rf {own}; " if secret else ""
    job += f"echo $! >group; wait $!; s=$?; {forget}echo $s >rc.new && mv rc.new rc\n"
    told = f"mkdir -p {own} && cat >{shell.word(f'{secrets_of(name)}/{secret}')} || exit 1\n" if secret else ""
    return (
        f"# {MARK} start {name}\numask 077; mkdir -p {shell.word(folder)} || exit 1\nd={place}\n"
        f"[ -O {shell.word(folder)} ] || {{ echo {shell.word(folder)} belongs to somebody else; exit 1; }}\n"
        f'if ! mkdir "$d" 2>/dev/null; then echo {MARK} known; exit 0; fi\ncat {_BOOT} >"$d/boot"\n'
        f"{told}{files}{_file('job.sh', job)}"
        'setsid sh "$d/job.sh" "$d" >/dev/null 2>&1 </dev/null & echo $! >"$d/pid"\n'
        f"echo {MARK} started\n"
    )


def _file(name: str, text: str) -> str:
    if _END in text:
        raise ValueError(f"{name} holds the word that ends it")
    return f"cat >\"$d/{name}\" <<'{_END}'\n{text.rstrip()}\n{_END}\n"


def look(name: str, *, folder: str = FOLDER, ask: str = "") -> str:
    """Ask how a job is, and for what it printed when it is done. `ask`: a command in its folder that says how far it
    is, as long as it goes on."""
    more = f'; cd "$d" && {ask}' if ask else ""
    return (
        f"# {MARK} look {name}\nd={_place(name, folder)}\n"
        f'if [ -f "$d/rc" ]; then echo {MARK} done "$(cat "$d/rc")"; head -c {MOST_BYTES} "$d/out"; '
        f'echo; echo {MARK} errors; tail -c {MOST_TROUBLE_BYTES} "$d/err"\n'
        f'elif [ ! -d "$d" ]; then echo {MARK} lost never begun here\n'
        f'elif [ "$(cat "$d/boot")" != "$(cat {_BOOT})" ]; then echo {MARK} lost the machine was rebooted\n'
        f'elif [ -f "$d/pid" ] && kill -0 "$(cat "$d/pid")" 2>/dev/null; then echo {MARK} running{more}\n'
        f'elif [ -f "$d/rc" ]; then echo {MARK} running\n'
        f"else echo {MARK} lost it ended without a result; fi\n"
    )


def stop(name: str, *, folder: str = FOLDER) -> str:
    """End a job with everything it began, if it is of this boot and goes on."""
    return (
        f"# {MARK} stop {name}\nd={_place(name, folder)}\n"
        f'if [ -f "$d/pid" ] && [ ! -f "$d/rc" ] && [ "$(cat "$d/boot")" = "$(cat {_BOOT})" ]; then\n'
        "for s in TERM KILL; do for f in pid group; do\n"
        '[ -f "$d/$f" ] && kill -s $s -- "-$(cat "$d/$f")" 2>/dev/null; done; sleep 1; done\n'
        f"fi\necho {MARK} stopped\n"
    )


def tidy(name: str, *, folder: str = FOLDER) -> str:
    """Remove the folder of a job that is over, and what it was told in secret."""
    own = shell.word(secrets_of(name))
    return f'# {MARK} tidy {name}\nd={_place(name, folder)}\nrm -rf {own} "$d"\necho {MARK} tidied\n'


def _place(name: str, folder: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name} is no name of a job")
    return shell.word(f"{folder}/{name}")


def began(text: str) -> bool:
    """Whether the answer to `start` says that the job was begun, now or before."""
    return any(line.strip() in (f"{MARK} started", f"{MARK} known") for line in text.splitlines())


def read(text: str) -> Look:
    """The answer to `look`. Anything else than an answer is unknown, and asked again."""
    first, _, rest = text.partition("\n")
    words = first.split()
    if words[:1] != [MARK] or len(words) < 2:
        return Look("unknown", trouble=first[:200])
    if words[1] == "running":
        return Look("running", text=rest)
    if words[1] == "lost":
        return Look("lost", trouble=" ".join(words[2:]))
    if words[1] != "done" or len(words) != 3 or not words[2].isdecimal():
        return Look("unknown", trouble=first[:200])
    said, mark, trouble = rest.rpartition(f"\n{MARK} errors\n")
    if not mark:
        return Look("unknown", trouble="the answer breaks off")
    return Look("done", int(words[2]), said, trouble.strip())
