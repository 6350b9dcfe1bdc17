"""A network of its own with a DHCP server and one machine that starts from it: real dnsmasq, iPXE and QEMU.

Run as root by `unshare --net`: nothing of it is seen outside, and all of it ends with it. The service is outside; its
port in here is passed on over a Unix socket. `python -m provisioning.tests.netboot_lab FOLDER` reads FOLDER/lab.json.
"""

from __future__ import annotations

import http.server
import json
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

ADDRESS, SERVICE_PORT, FILES_PORT = "10.77.0.1", 8080, 8081
TAP = "tap0"
FIRMWARE = Path("/usr/share/OVMF")
MODULES = (
    "virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "failover",
    "net_failover", "virtio_net",
)  # fmt: skip
CD_MODULES = ("scsi_common", "scsi_mod", "cdrom", "sr_mod", "libata", "ata_piix", "isofs")
BEGIN = r"""#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /cdrom
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for name in MODULES; do insmod /modules/$name.ko || true; done
ip link set eth0 up
""".replace("MODULES", " ".join((*MODULES, *CD_MODULES)))
INIT = (
    BEGIN
    + r"""udhcpc -i eth0 -q -n -t 10 -T 2 -s /lease.sh || poweroff -f
seed=$(sed 's/.*ds=nocloud-net;s=\([^ ]*\).*/\1/' /proc/cmdline)
say() { wget -q -O- --header=Content-Type:application/json --post-data="$2" "$seed$1"; }
wget -q -O /user-data "${seed}user-data"
say report '{"name":"subiquity/Install/install","event_type":"start","description":"installing"}'
key=$(sed -n 's/.*ed25519_public: //p' /user-data)
say phone-home "{\"pub_key_ed25519\": \"$key\", \"hostname\": \"$(hostname)\"}"
poweroff -f
"""
)
CD_INIT = (
    BEGIN
    + r"""
for try in 1 2 3 4 5 6 7 8 9 10; do mount -t iso9660 -o ro /dev/sr0 /cdrom && break; sleep 1; done
seed=$(sed 's/.*ds=nocloud;s=\([^ ]*\).*/\1/' /proc/cmdline)
ip addr add $(sed -n 's/^ *- \([0-9.]*\/[0-9]*\)$/\1/p' $seed/network-config) dev eth0
say() { wget -q -O- --header=Content-Type:application/json --post-data="$2" "$1"; }
say $(sed -n 's/^ *endpoint: //p' $seed/user-data) \
  '{"name":"subiquity/Install/install","event_type":"start","description":"installing from the medium"}'
key=$(sed -n 's/.*ed25519_public: //p' $seed/user-data)
home=$(sed -n 's/^ *url: \(.*phone-home\)$/\1/p' $seed/user-data)
say $home "{\"pub_key_ed25519\": \"$key\", \"hostname\": \"x\"}"
poweroff -f
"""
)
LEASE = """#!/bin/busybox sh
[ "$1" = bound ] || exit 0
/bin/ip addr add "$ip/$mask" dev "$interface"
/bin/hostname "$hostname"
"""


def initrd(folder: Path, kernel_tree: Path, init: str = INIT) -> Path:
    """An initial ramdisk of busybox and the network card's drivers, which asks and reports as an installer does."""
    root = folder / "ramdisk"
    (root / "bin").mkdir(parents=True)
    (root / "modules").mkdir()
    shutil.copy("/bin/busybox", root / "bin/busybox")
    for name in (*MODULES, *CD_MODULES):
        found = next(kernel_tree.rglob(f"{name}.ko*"), None)
        if found is not None:
            shutil.copy(found, root / "modules" / f"{name}.ko")
    for name, text in (("init", init), ("lease.sh", LEASE)):
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    packed = folder / "initrd"
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with packed.open("wb") as target:
        subprocess.run(
            ["/bin/busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=target, check=True
        )
    return packed


class Relay(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Passes each connection on to `target`: an address, or the path of a Unix socket."""

    allow_reuse_address = daemon_threads = True
    target: tuple[str, int] | str


class UnixRelay(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    target: tuple[str, int] | str


class _Pass(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        target = self.server.target  # type: ignore[attr-defined]
        there = socket.socket(socket.AF_UNIX if isinstance(target, str) else socket.AF_INET)
        there.connect(target)
        back = threading.Thread(target=_copy, args=(there, self.request), daemon=True)
        back.start()
        _copy(self.request, there)
        back.join(30)


def _copy(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def out_of_the_lab(path: Path, port: int) -> UnixRelay:
    """Outside: what arrives at the Unix socket goes to the service's port."""
    relay = UnixRelay(str(path), _Pass)
    relay.target = ("127.0.0.1", port)
    threading.Thread(target=relay.serve_forever, args=(0.02,), daemon=True).start()
    return relay


def main(folder: Path) -> int:
    told = json.loads((folder / "lab.json").read_text())
    for words in (
        "link set lo up", f"tuntap add dev {TAP} mode tap", f"addr add {ADDRESS}/24 dev {TAP}",
        f"-6 addr add fd77::1/64 dev {TAP} nodad", f"link set {TAP} up",
    ):  # fmt: skip
        subprocess.run(["ip", *words.split()], check=True)
    inwards = Relay((ADDRESS, SERVICE_PORT), _Pass)
    inwards.target = told["socket"]
    files = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder / "files"))
    for server in (inwards, http.server.ThreadingHTTPServer((ADDRESS, FILES_PORT), files)):
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    if told.get("medium"):
        return subprocess.run(machine(folder, told), timeout=told["limit_s"]).returncode
    with (folder / "dnsmasq.log").open("w") as log:
        dhcp = subprocess.Popen(
            ["dnsmasq", "--keep-in-foreground", "--no-ping", f"--conf-file={folder / 'dnsmasq.conf'}", "--user=root",
             "--pid-file=", f"--dhcp-leasefile={folder / 'leases'}", "--log-facility=-",
             # without a router iPXE waits half a minute for one by IPv6
             "--enable-ra", "--dhcp-range=fd77::,ra-only,64"],
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        return subprocess.run(machine(folder, told), timeout=told["limit_s"]).returncode
    finally:
        dhcp.terminate()
        dhcp.wait(10)


def machine(folder: Path, told: dict[str, str]) -> list[str]:
    card = f"virtio-net-pci,netdev=net,mac={told['mac']}"
    words = [
        "qemu-system-x86_64", "-accel", "tcg", "-m", "768", "-display", "none", "-monitor", "none", "-no-reboot",
        "-serial", f"file:{folder / 'serial.log'}", "-boot", "d" if told.get("medium") else "n",
        "-smbios", f"type=1,serial={told['serial']},uuid={told['uuid']}",
        "-netdev", f"tap,id=net,ifname={TAP},script=no,downscript=no",
    ]  # fmt: skip
    if told.get("medium"):  # as a BMC has it: read piece by piece over HTTP, each in a request of its own
        words += ["-drive", f"file={told['medium']},format=raw,media=cdrom,readonly=on"]
    if told["firmware"] == "bios":
        return [*words, "-device", card]
    variables = shutil.copy(FIRMWARE / "OVMF_VARS.fd", folder / "vars.fd")
    flash = [
        f"if=pflash,format=raw,readonly=on,file={FIRMWARE / 'OVMF_CODE.fd'}",
        f"if=pflash,format=raw,file={variables}",
    ]
    # without the card's own iPXE: the firmware asks by itself, and is given iPXE by TFTP
    board = "pc" if told.get("medium") else "q35"  # the kernel has a driver for the CD of the older one
    return [*words, "-machine", board, "-drive", flash[0], "-drive", flash[1], "-device", f"{card},romfile="]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
