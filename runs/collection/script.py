"""The scripts that fetch evidence of a run from one machine: what they print is read by `answer`. Pure.

They only read. Logs are searched where they lie: of 20 GB only lines that say something leave the machine. Each piece
is gzipped by itself and counted against the machine's share, so that what is too large is left out and named, and takes
nothing else with it. Needed are a POSIX shell and GNU grep; `py-spy` and `ncclras` where there are.

Sudo is used for tools that the site's rules let us run without a password (`sudo -n -l TOOL`); any may be refused, then
the tool runs as the login user and says what it may not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from drivers import shell
from runs.causes.log import FACTS
from runs.causes.patterns import TABLE
from runs.collection.processes import NAMES, RANKS
from runs.pace import steps

MARK = "rackside-evidence"
SHARE = 4 << 20
"""Compressed bytes of one machine."""
LARGEST_DUMP = 64 << 20
MOST_FILES = 64
"""Of one pattern on one machine."""
MOST_LINES, LAST_LINES = 1500, 300
"""Lines of a log that leave the machine: so many of the first that say something, and of the last."""
STEP_LINES = 40
LINE = 4096
HEAD, TAIL = 2048, 8192
JOURNAL = "kernel log"
"""What the kernel's lines since the run began are called: a log of the machine, searched like the others."""
LARGEST_JOURNAL = 16 << 20
MOST_UNPACKED = 128 << 20
"""Bytes that are read of a compressed log: nobody knows before how much comes out of it."""
UNPACKED = 1 << 30
"""Of all compressed logs of a machine."""
GREP_S, JOURNAL_S, SPY_S = 45, 10, 20
RAS_PORT = 28028
TOOLS = ("grep", "head", "tail", "stat", "cat", "readlink", "journalctl", "py-spy")
"""What a site may allow by sudo; what it does not, runs as the login user."""

NEEDLES = tuple(
    dict.fromkeys(
        [text for one in TABLE for text in one.triggers]
        + [text for text in FACTS if text not in (*steps.MARKS, steps.WAITING)]
    )
)
STEPS = (*steps.MARKS, steps.WAITING)

_PRELUDE = f"""PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
may=' '
[ "$(id -u)" = 0 ] || for tool in {" ".join(TOOLS)}; do
  sudo -n -l "$tool" >/dev/null 2>&1 && may="$may$tool "
done
by() {{ case $may in *" $1 "*) echo 'sudo -n' ;; esac; }}
"""


def who_script() -> str:
    """Which processes are ranks: their named variables, and where their output goes. Of the rest of an environment
    nothing is read."""
    ranks, names = "|".join(RANKS), "|".join(NAMES)
    return f"""# {MARK} processes
{_PRELUDE}
$(by cat) cat /proc/1/environ >/dev/null 2>&1 && echo '== all'
$(by grep) grep -lazE '^({ranks})=' /proc/[0-9]*/environ 2>/dev/null | head -n 4000 | while read -r file; do
  place=${{file%/environ}}
  echo "== process ${{place#/proc/}}"
  grep -E '^(Name|State|PPid|Uid):' "$place/status" 2>/dev/null
  for link in exe cwd fd/1 fd/2; do
    echo "$link=$($(by readlink) readlink "$place/$link" 2>/dev/null | head -n 1)"
  done
  $(by grep) grep -azE '^({names})=' "$file" 2>/dev/null | tr '\\n\\0' ' \\n'
done
echo "== clock $(date +%s.%N)"
echo '== end'
"""


# ---- what is asked ----
ANY, NOT_ROOT = "any", "not-root"
"""Who must own a file. A site's own patterns are trusted; a path that a run tells could lead root to anything, so what
it leads to must belong to the run's user (a user id), or at least not to root."""


def _owner(owner: str) -> str:
    if owner not in (ANY, NOT_ROOT) and not owner.isdecimal():
        raise ValueError(f"{owner!r} owns nothing")
    return owner


class LogFile(NamedTuple):
    """A path, or a pattern of the shell, and whose log it is; None: of all ranks of the machine."""

    path: str
    rank: int | None = None
    owner: str = ANY
    name: str = ""
    """What it is called, where the path does not say."""

    def line(self) -> str:
        return f"log {_rank(self.rank)} {_owner(self.owner)} {shell.operand(self.path)} {shell.word(self.name)}"


class DumpFile(NamedTuple):
    path: str
    rank: int
    owner: str = ANY

    def line(self) -> str:
        return f"dump {int(self.rank)} {_owner(self.owner)} {shell.operand(self.path)}"


class Process(NamedTuple):
    """The process of a rank whose stack is asked."""

    pid: int
    rank: int

    def line(self) -> str:
        return f"stack {int(self.rank)} {int(self.pid)}"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(int(rank))


def files_script(logs: Iterable[LogFile], dumps: Iterable[DumpFile], since: float = 0, share: int = SHARE) -> str:
    """Logs and dumps that were written to after `since` (seconds since 1970), and what the kernel said since then.
    Raises UnsafeWord for a path that holds a control character."""
    lines = [*(log.line() for log in logs), *(dump.line() for dump in dumps), "journal"]
    texts = [_texts("needles", NEEDLES), _texts("steps", STEPS), f"since={int(since)}"]
    return "\n".join([_begin("files", share), *texts, _FILES, *lines, _END])


def stacks_script(processes: Sequence[Process], *, native: bool, ras: bool, share: int = SHARE) -> str:
    """Stacks of processes, what the kernel says of those that it holds, and NCCL's own view of the run."""
    lines = [*(process.line() for process in processes), "kernel", *(["ras"] if ras else []), "stacks_done"]
    how = "--native" if native else "--nonblocking"
    return "\n".join([_begin("stacks", share), f"how={how}", _STACKS, *lines, _END])


def _begin(what: str, share: int) -> str:
    return f"# {MARK} {what}\n{_PRELUDE}left={share}\n{_PIECES}"


def _texts(name: str, texts: Sequence[str]) -> str:
    return f"cat >\"$work/{name}\" <<'RACKSIDE'\n" + "\n".join(texts) + "\nRACKSIDE"


_PIECES = f"""# Not on the disk first: that it is full is one of the things to find.
for place in /dev/shm "${{XDG_RUNTIME_DIR:-/dev/shm}}" "${{TMPDIR:-/tmp}}" /var/tmp; do
  work=$(mktemp -d "$place/rackside.XXXXXX" 2>/dev/null) && break
done
[ -n "$work" ] || {{ echo '{MARK}: no place for temporary files' >&2; exit 1; }}
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
piece() {{ # kind rank result name file
  gzip -c <"$5" >"$work/packed"
  size=$(wc -c <"$work/packed")
  if [ "$size" -gt "$left" ]; then
    set -- "$1" "$2" too_large "$4" "$5"
    echo "$size bytes, and $left are left of this machine's share" | gzip -c >"$work/packed"
    size=$(wc -c <"$work/packed")
  fi
  left=$((left - size))
  printf '== {MARK} %s %s %s %s %s\\n' "$1" "$2" "$3" "$((size))" "$4"
  cat "$work/packed"
  echo
}}
why() {{
  case $(cat "$work/why") in
    *ermission*|*assword*|*'not allowed'*) echo refused ;;
    *'No such file'*) echo missing ;;
    *) echo failed ;;
  esac
}}
printf '== {MARK} clock - ok 0 %s\\n\\n' "$(date +%s.%N)"
"""
_FILES = f"""plain_left={UNPACKED}
mkfifo "$work/pipe"
log() {{
  rank=$1; owner=$2; named=$4; IFS=; set -- $3; unset IFS
  [ $# -le {MOST_FILES} ] || {{ echo "$# files" >"$work/why"; piece log "$rank" too_large "$1" "$work/why"; }}
  count=0
  for file; do
    count=$((count + 1)); [ $count -le {MOST_FILES} ] || break
    rotated=
    [ -n "$named" ] || for part in "$file.gz" "$file.1.gz" "$file.1"; do
      if ! among "$part" "$@" && is_of_run "$part"; then one "$part" "$part"; rotated=yes; fi
    done
    [ -n "$rotated" ] && ! is_of_run "$file" || one "$file" "${{named:-$file}}"
  done
}}
among() {{ wanted=$1; shift; for each; do [ "$each" != "$wanted" ] || return 0; done; return 1; }}
is_of_run() {{ # there, and written to since the run began
  $(by stat) stat -L -c '%s %Y %u' -- "$1" >"$work/out" 2>/dev/null && read -r size written user <"$work/out" \
    && [ "$written" -ge "$since" ]
}}
fits() {{ # what $work/out says of a file: its size, when it was written to, and by whom it is owned
  read -r size written user <"$work/out"
  if [ "$written" -lt "$since" ]; then
    echo 'No such file of this run: not written to since it began' >"$work/why"; return 1
  fi
  case $owner in any|"$user") return 0 ;; not-root) [ "$user" = 0 ] || return 0 ;; esac
  echo "Permission denied: it belongs to user $user" >"$work/why"; return 1
}}
one() {{
  if ! $(by stat) stat -L -c '%s %Y %u' -- "$1" >"$work/out" 2>"$work/why" || ! fits; then
    piece log "$rank" "$(why)" "$2" "$work/why"
    return
  fi
  piece log.stat "$rank" ok "$2" "$work/out"
  case $1 in *.gz) unpacked "$1" "$2"; return ;; esac
  if ! $(by head) head -c {HEAD} -- "$1" >"$work/out" 2>"$work/why"; then
    piece log "$rank" "$(why)" "$2" "$work/why"
    return
  fi
  piece log.head "$rank" ok "$2" "$work/out"
  found "$1" needles -B 2 | some >"$work/out"
  ended=ok; [ "$(cat "$work/status")" -lt 2 ] || ended=cut
  piece log.found "$rank" $ended "$2" "$work/out"
  found "$1" steps | tail -n {STEP_LINES} >"$work/out"
  piece log.steps "$rank" ok "$2" "$work/out"
  $(by tail) tail -c {TAIL} -- "$1" >"$work/out" 2>/dev/null
  piece log.tail "$rank" ok "$2" "$work/out"
}}
some() {{ # the first lines and the last
  awk -v most={MOST_LINES} -v last={LAST_LINES} '
    NR <= most {{ print; next }} {{ kept[NR % last] = $0 }}
    END {{ for (at = (NR - last > most ? NR - last : most) + 1; at <= NR; at++) print kept[at % last] }}'
}}
unpacked() {{ # a compressed log: read as a stream, as far as the bound
  if [ "$plain_left" -le 0 ]; then
    echo 'not read: {UNPACKED} bytes were unpacked here already' >"$work/why"
    piece log "$rank" too_large "$2" "$work/why"
    return
  fi
  most=$((plain_left < {MOST_UNPACKED} ? plain_left : {MOST_UNPACKED}))
  plain "$1" | head -c {HEAD} >"$work/out"
  if [ ! -s "$work/out" ] && [ -s "$work/why" ]; then
    piece log "$rank" "$(why)" "$2" "$work/why"
    return
  fi
  piece log.head "$rank" ok "$2" "$work/out"
  plain "$1" | grep -anbF --no-group-separator -B 2 -f "$work/needles" 2>/dev/null | cut -b -{LINE} | some >"$work/out"
  piece log.found "$rank" ok "$2" "$work/out"
  plain "$1" | grep -anbF -f "$work/steps" 2>/dev/null | cut -b -{LINE} | tail -n {STEP_LINES} >"$work/out"
  piece log.steps "$rank" ok "$2" "$work/out"
  wc -c <"$work/pipe" >"$work/count" &
  plain "$1" | tee "$work/pipe" | tail -c {TAIL} >"$work/out"
  wait
  piece log.tail "$rank" ok "$2" "$work/out"
  read -r size <"$work/count" || size=0
  plain_left=$((plain_left - size))
  if [ "$size" -ge "$most" ]; then
    echo "cut: more than $most bytes come out of it, what follows was not read" >"$work/why"
    piece log "$rank" too_large "$2" "$work/why"
  elif [ -s "$work/why" ]; then
    piece log "$rank" failed "$2" "$work/why"
  fi
}}
plain() {{ # what comes out of a compressed file; what went wrong is in $work/why
  {{ timeout -k 2 {GREP_S} $(by cat) cat -- "$1" | gzip -dc | head -c "$most"; }} 2>"$work/why"
}}
found() {{
  file=$1; texts=$2; shift 2
  {{
    timeout -k 2 {GREP_S} $(by grep) grep -anbF --no-group-separator "$@" -f "$work/$texts" -- "$file" 2>/dev/null
    echo $? >"$work/status"
  }} | cut -b -{LINE}
}}
journal() {{ # of any boot: a machine that crashed said why in the one before
  timeout -k 2 {JOURNAL_S} $(by journalctl) journalctl --no-pager -o short-iso-precise --since "@$since" \
    _TRANSPORT=kernel 2>"$work/why" | grep -v '^-- ' | head -c {LARGEST_JOURNAL} >"$work/journal"
  if [ -s "$work/journal" ]; then
    rank=-; owner=any
    one "$work/journal" '{JOURNAL}'
  elif [ -s "$work/why" ]; then
    piece log - missing '{JOURNAL}' "$work/why"
  fi
}}
dump() {{
  owner=$2
  if ! $(by stat) stat -L -c '%s %Y %u' -- "$3" >"$work/out" 2>"$work/why" || ! fits; then
    [ "$(why)" = missing ] || piece dump "$1" "$(why)" "$3" "$work/why"
  elif [ "$size" -gt {LARGEST_DUMP} ]; then
    echo "$size bytes" >"$work/why"
    piece dump "$1" too_large "$3" "$work/why"
  elif $(by cat) cat -- "$3" >"$work/out" 2>"$work/why"; then
    piece dump "$1" ok "$3" "$work/out"
  else
    piece dump "$1" "$(why)" "$3" "$work/why"
  fi
}}
"""
_STACKS = f"""asked=
stack() {{
  spy=$(command -v py-spy)
  beside=$($(by readlink) readlink "/proc/$2/exe" 2>/dev/null)
  [ -n "$spy" ] || [ ! -x "${{beside%/*}}/py-spy" ] || spy=${{beside%/*}}/py-spy
  asked="$asked $1:$2"
  if [ -z "$spy" ]; then
    echo 'py-spy is not installed here' >"$work/stack.$1"; echo 127 >"$work/status.$1"
    return
  fi
  ( timeout -k 2 {SPY_S} $(by py-spy) "$spy" dump --pid "$2" $how >"$work/stack.$1" 2>&1 </dev/null
    echo $? >"$work/status.$1" ) >/dev/null 2>&1 &
}}
stacks_done() {{
  # A process that cannot be stopped must not hold what the others said.
  naps=0
  while [ $naps -lt {SPY_S * 5 + 15} ]; do
    ready=yes
    for one in $asked; do [ -s "$work/status.${{one%:*}}" ] || ready=; done
    [ -z "$ready" ] || break
    sleep 0.2; naps=$((naps + 1))
  done
  for one in $asked; do
    rank=${{one%:*}}
    [ -e "$work/stack.$rank" ] || : >"$work/stack.$rank"
    cp "$work/stack.$rank" "$work/why"
    ended=$(cat "$work/status.$rank" 2>/dev/null)
    case $ended in 0) result=ok ;; 124|137|'') result=cut ;; 127) result=missing ;; *) result=$(why) ;; esac
    piece stack "$rank" $result "${{one#*:}}" "$work/stack.$rank"
  done
}}
kernel() {{ # what the kernel holds: processes in state D, and where in it
  held=$(ps -eLo pid=,tid=,stat= 2>/dev/null | awk '$3 ~ /^D/ {{ print $1, $2 }}' | head -n 64)
  [ -z "$held" ] || echo "$held" | while read -r pid tid; do
    echo "process $pid thread $tid"
    grep -E '^(Name|State|PPid):' "/proc/$pid/task/$tid/status" 2>/dev/null
    echo "wchan: $($(by cat) cat "/proc/$pid/task/$tid/wchan" 2>/dev/null)"
    $(by cat) cat "/proc/$pid/task/$tid/stack" 2>/dev/null
  done >"$work/out"
  [ ! -s "$work/out" ] || piece kernel - ok D "$work/out"
}}
ras() {{
  ask='CLIENT PROTOCOL 2\\nTIMEOUT 5\\nSET FORMAT json\\nVERBOSE STATUS\\n'
  if command -v ncclras >/dev/null; then
    timeout -k 2 12 ncclras -v -f json -t 5 >"$work/out" 2>"$work/why"
  elif command -v bash >/dev/null; then
    timeout -k 2 12 bash -c "exec 3<>/dev/tcp/127.0.0.1/{RAS_PORT} && printf '$ask' >&3 && cat <&3" \\
      >"$work/out" 2>"$work/why"
  else
    return
  fi
  [ ! -s "$work/out" ] || piece ras - ok {RAS_PORT} "$work/out"
}}
"""
_END = f"printf '== {MARK} end - ok 0 -\\n\\n'\n"
