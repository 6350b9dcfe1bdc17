"""A private Slurm for the tests: munged, slurmctld, some slurmd, slurmrestd, an sshd; all in one folder, on loopback.

Nothing of the system's own configuration is read or written, and everything is stopped at the end. The machines claim
more than this computer has (`config_overrides`), their GPUs are empty files.
"""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import asyncssh

from drivers.slurm.tokens import signed_token
from drivers.ssh import SshTarget, public_line
from drivers.tests.ports import free_ports, listens, until

PROGRAMS = {
    "munged": "munge", "mungekey": "munge", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "scontrol": "slurm-wlm",
    "slurmrestd": "slurmrestd",
}  # fmt: skip
PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
REST_UID = 65534  # slurmrestd refuses to run as root
CPUS, MEMORY_MB, GPUS = 16, 64_000, 8

CONFIGURATION = """\
ClusterName=rackside
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={folder}/jwt.key
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
DebugFlags=NO_CONF_HASH
MailProg=/bin/true
ReturnToService=0
MinJobAge=300
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1
GresTypes=gpu
{more}
NodeName={names} NodeAddr=127.0.0.1 Port={ports} CPUs={cpus} RealMemory={memory} Gres=gpu:h100:{gpus} State=UNKNOWN
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""


class PrivateSlurm:
    """A running cluster. `names` are its machines; `more` are further lines of slurm.conf."""

    rest_plugins = "openapi/v0.0.38"

    def __init__(self, names: list[str], *, daemons: int | None = None, more: str = "") -> None:
        for program, package in PROGRAMS.items():
            assert shutil.which(program, path=PATH), f"no {program}: the tests need the Debian package {package}"
        assert os.geteuid() == 0, "Slurm's daemons are started as root"
        self.names, self.daemons, self.more = names, len(names) if daemons is None else daemons, more
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        ports = free_ports(len(names) + 3)
        self.ctld_port, self.rest_port, self.ssh_port, *self.slurmd_ports = ports
        self.environment = {
            "PATH": PATH, "SLURM_CONF": str(self.folder / "slurm.conf"), "HOME": str(self.folder), "LC_ALL": "C",
        }  # fmt: skip
        self.jwt_key = secrets.token_bytes(32)
        self.ssh_key = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.rest_port}"

    @property
    def key_text(self) -> str:
        """The key as it is stored in a credential."""
        return base64.b64encode(self.jwt_key).decode()

    def token(self, lifespan_s: int = 600, user: str = "root") -> str:
        return signed_token(self.jwt_key, user, now=time.time(), lifespan_s=lifespan_s)

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        for name in reversed(list(self._running)):
            self.kill(name)
        self._kill_jobs()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _kill_jobs(self) -> None:
        """Jobs outlive their daemons: whatever still runs with this cluster's configuration in its environment."""
        ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if ours in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)

    def _start(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        for number in range(GPUS):
            (self.folder / f"gpu{number}").touch()
        (self.folder / "jwt.key").write_bytes(self.jwt_key)
        (self.folder / "jwt.key").chmod(0o600)
        first, last = self.slurmd_ports[0], self.slurmd_ports[-1]
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                folder=self.folder, host=socket.gethostname(), ctld=self.ctld_port, names=",".join(self.names),
                ports=f"[{first}-{last}]" if last > first else first, cpus=CPUS, memory=MEMORY_MB, gpus=GPUS,
                more=self.more,
            )
        )  # fmt: skip
        (self.folder / "gres.conf").write_text(f"Name=gpu Type=h100 File={self.folder}/gpu[0-{GPUS - 1}]\n")
        self._munge()
        self._accounting()
        self.start_slurmctld()
        for name in self.names[: self.daemons]:
            self.start_slurmd(name)
        self._rest()
        running = self.names[: self.daemons]
        until(lambda: all(self.state(name).startswith("idle") for name in running), 20, "the machines are not idle")

    def _munge(self) -> None:
        key = self.folder / "munge.key"
        subprocess.run(["mungekey", "-c", "-k", str(key)], check=True, env=self.environment)
        names = {"key-file": key, "socket": self.folder / "munge.socket", "pid-file": self.folder / "munged.pid",
                 "log-file": self.folder / "munged.log", "seed-file": self.folder / "munge.seed"}  # fmt: skip
        self.spawn("munged", ["munged", "--foreground", "--force", *(f"--{n}={path}" for n, path in names.items())])
        until((self.folder / "munge.socket").exists, 5, "munged does not start")

    def _accounting(self) -> None:
        """None is kept (`drivers.tests.slurm_accounting`)."""

    def start_slurmctld(self) -> None:
        self.spawn("slurmctld", ["slurmctld", "-D"])
        until(lambda: self.command("scontrol", "ping").returncode == 0, 10, "slurmctld does not start")

    def start_slurmd(self, name: str) -> None:
        self.spawn(name, ["slurmd", "-D", "-N", name])

    def _rest(self) -> None:
        lead = ["setpriv", f"--reuid={REST_UID}", f"--regid={REST_UID}", "--clear-groups"]
        plugins = ["-a", "rest_auth/jwt", "-s", self.rest_plugins]
        # `daemon` lets it talk to slurmctld with the token of each request instead of one of its own.
        environment = ["env", "SLURM_JWT=daemon"]
        self.spawn("slurmrestd", [*lead, *environment, "slurmrestd", *plugins, f"127.0.0.1:{self.rest_port}"])
        until(lambda: listens(self.rest_port), 10, "slurmrestd does not start")

    def start_sshd(self, forced_command: str = "") -> SshTarget:
        """A real OpenSSH server at which one key logs in as this user; `forced_command` as in authorized_keys."""
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "host"], check=True)
        options = f'command="{forced_command}",restrict ' if forced_command else ""
        (self.folder / "authorized").write_text(options + public_line(self.ssh_key) + "\n")
        (self.folder / "sshd_config").write_text(
            f"Port {self.ssh_port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nStrictModes no\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/authorized\nPidFile {self.folder}/sshd.pid\nPasswordAuthentication no\n"
            f"SetEnv SLURM_CONF={self.folder}/slurm.conf\nPermitRootLogin prohibit-password\n"
        )
        Path("/run/sshd").mkdir(exist_ok=True)
        self.spawn("sshd", ["/usr/sbin/sshd", "-D", "-e", "-f", str(self.folder / "sshd_config")])
        until(lambda: listens(self.ssh_port), 5, "sshd does not start")
        host_key = " ".join((self.folder / "host.pub").read_text().split()[:2])
        return SshTarget("127.0.0.1", self.ssh_port, getpass.getuser(), self.ssh_key, host_key, name="login-1")

    # ---- daemons ----

    def spawn(self, name: str, command: list[str]) -> None:
        log = (self.folder / f"{name}.out").open("ab")
        with log:
            self._running[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.wait(10)

    # ---- as an administrator of the cluster ----

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, env=self.environment, timeout=30)

    def scontrol(self, *words: str) -> str:
        done = self.command("scontrol", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def state(self, name: str) -> str:
        """The word of `sinfo`: idle, allocated, mixed, draining, drained, down; with a star when it does not answer.

        All machines are asked for: of one alone 22.05 tells what ran when all were last asked for.
        """
        rows = (line.split() for line in self.command("sinfo", "-h", "-N", "-o", "%N %T").stdout.splitlines())
        return next((row[1] for row in rows if row[0] == name), "")

    def reason(self, name: str) -> str:
        return self.command("sinfo", "-h", "-N", "-n", name, "-o", "%E").stdout.strip()

    def run_job(self, name: str, seconds: int = 600) -> str:
        """Start a job on one machine and wait until it runs; gives its id."""
        job = self.submit(f"sleep {seconds}", "-w", name)
        until(lambda: self.job_state(job) == "RUNNING", 20, "the job does not start")
        return job

    def submit(self, script: str, *options: str) -> str:
        """Queue a job with these options of sbatch; gives its id."""
        done = self.command("sbatch", "--parsable", *options, "-o", "/dev/null", "-D", "/tmp", "--wrap", script)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def job_state(self, job: str) -> str:
        return self.command("squeue", "-h", "-j", job, "-o", "%T").stdout.strip()

    def cancel(self, *jobs: str) -> None:
        """Cancel all at once, so that no waiting one starts where another ends; returns when all have ended."""
        self.command("scancel", *jobs)

        def ended() -> bool:
            return all(set(self.job_state(job).split()) <= {"CANCELLED"} for job in jobs)

        until(ended, 20, f"{', '.join(jobs)} do not end")
