"""The probe's commands about the machine's present state: interfaces, links of devices, memory blocks, remote mounts.

Most of it is one `grep` over files of the kernel, so that a sweep pays for one command.
"""

from __future__ import annotations

from drivers import shell
from inventory.specs.device_model import DeviceModelSpec

# The last file is on every machine: an output that does not end with it was cut off.
LAST_STATE_FILE = "/proc/sys/kernel/ostype"
_OF_INTERFACE = ("operstate", "carrier", "speed", "duplex", "carrier_changes", "mtu")
# The second is those of the port above a device, which is what its slot could carry: the kernel resolves the link of
# the device before the two dots.
_OF_LINK = ("*_link_*", "../max_link_*")
END_OF_MOUNTS = "end of remote mounts"
# Each remote file system is asked once (`stat -f` goes to its server), in the background, and waited for 4 s at most.
# A process that waits for a server which is gone cannot be ended until that server is back, so a mount whose process of
# an earlier sweep still waits is not asked again: there is never more than one for each. The word after -c is how it is
# found; only the command lines of such processes are read, as that of another blocked one could block the reader too.
REMOTE_MOUNTS = (
    "asked=; p=; old=-; set -f; while read -r d m t o; do case $t in "
    "nfs|nfs4|lustre|ceph|cifs|smb3|beegfs|gpfs|wekafs|9p|fuse|fuse.*) ;; *) continue ;; esac; "
    'case $asked in *" $t:$d "*) continue ;; esac; asked="$asked $t:$d "; '
    '[ "$old" != - ] || old=$(ps -eo state=,pid=,comm= | while read -r z i c; do [ $z$c != Dstat ] || echo $i; done); '
    'held=; for i in $old; do grep -qsF -e "$m," /proc/$i/cmdline && held=1; done; '
    '[ -z "$held" ] || { echo "hangs $t $m"; continue; }; '
    'stat -f -c "$m," "$(printf %b "$m")" >/dev/null 2>&1 & p="$p $!,$t,$m"; done </proc/mounts; '
    "n=0; while [ $n -lt 40 ]; do left=; for j in $p; do kill -0 ${j%%,*} 2>/dev/null && left=1; done; "
    '[ "$left" ] || break; sleep 0.1; n=$((n+1)); done; '
    "for j in $p; do i=${j%%,*}; w=${j#*,}; t=${w%%,*}; m=${w#*,}; "
    'if kill -0 $i 2>/dev/null; then kill -9 $i; echo "hangs $t $m"; '
    'elif wait $i; then echo "answers $t $m"; else echo "fails $t $m"; fi; done; '
    f"echo {END_OF_MOUNTS}"
)


def state_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command), for every machine."""
    return [(5, state_files(spec)), (8, REMOTE_MOUNTS)]


def state_files(spec: DeviceModelSpec) -> str:
    """The one `grep`, for what a model has: its required interfaces with the members of bonds, and its devices."""
    words = ["/proc/buddyinfo", "/proc/mdstat"]
    for name in required_interfaces(spec):
        place = f"/sys/class/net/{shell.word(name)}"
        words += [f"{place}/{each}" for each in _OF_INTERFACE]
        words += [f"{place}/lower_*/{each}" for each in _OF_INTERFACE]
    for card in roce_rails(spec):
        words += [f"/sys/class/infiniband/{shell.word(card)}/device/net/*/{each}" for each in _OF_INTERFACE]
    if spec.slots_of("nvme"):
        words += ["/sys/class/nvme/nvme*/address", *(f"/sys/class/nvme/nvme*/device/{each}" for each in _OF_LINK)]
    for slot in spec.slots:
        if slot.pci and slot.kind != "nvme":
            words += [f"/sys/bus/pci/devices/{shell.word(slot.pci)}/{each}" for each in _OF_LINK]
    return " ".join(("grep -sH .", *words, LAST_STATE_FILE))


def required_interfaces(spec: DeviceModelSpec) -> tuple[str, ...]:
    """Names that the model says must be up (`expected.interfaces`)."""
    return tuple(spec.expected.get("interfaces") or ())


def roce_rails(spec: DeviceModelSpec) -> tuple[str, ...]:
    """Rail cards on Ethernet: their interfaces must be up. Those on InfiniBand need none, their ports have a check."""
    slots = spec.slots_of("hca")
    return tuple(s.device for s in slots if s.device and s.rail is not None and s.link_layer == "Ethernet")
