"""A private Slurm that keeps accounting: slurmdbd, with a MariaDB of its own on loopback."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from drivers.tests.ports import free_ports, listens, until
from drivers.tests.slurm import PATH, PrivateSlurm

NEEDED = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server-core", "sacct": "slurm-wlm"}
TABLES = Path("/usr/share/mysql/mysql_system_tables.sql")
CONFIGURATION = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={folder}/jwt.key
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StorageLoc=accounting
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""
OF_THE_CLUSTER = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={folder}/munge.socket
AccountingStorageTRES=gres/gpu
JobAcctGatherType=jobacct_gather/none
"""


class AccountedSlurm(PrivateSlurm):
    """A running cluster whose jobs and steps are kept by slurmdbd."""

    rest_plugins = "openapi/v0.0.38,openapi/dbv0.0.38"

    def __init__(self, names: list[str], *, more: str = "") -> None:
        for program, package in NEEDED.items():
            assert shutil.which(program, path=PATH), f"no {program}: the tests need the Debian package {package}"
        super().__init__(names, more=more)
        self.dbd_port, self.database_port = free_ports(2)
        self.more += OF_THE_CLUSTER.format(port=self.dbd_port, folder=self.folder)

    def _accounting(self) -> None:
        self._database()
        file = self.folder / "slurmdbd.conf"
        file.write_text(CONFIGURATION.format(folder=self.folder, port=self.dbd_port, database=self.database_port))
        file.chmod(0o600)
        self.spawn("slurmdbd", ["slurmdbd", "-D"])
        until(lambda: self.command("sacctmgr", "-n", "show", "cluster").returncode == 0, 20, "slurmdbd does not answer")
        assert self.command("sacctmgr", "-i", "add", "cluster", "rackside").returncode == 0

    def _database(self) -> None:
        """Without users and passwords, on loopback: its tables of its own come from the server's own script."""
        data = self.folder / "database"
        data.mkdir()
        server = ["mariadbd", "--no-defaults", f"--datadir={data}", "--user=root"]
        lines = f"create database mysql;\nuse mysql;\n{TABLES.read_text()}"
        made = subprocess.run(
            [*server, "--bootstrap"], input=lines, text=True, capture_output=True, env=self.environment, timeout=60
        )
        assert made.returncode == 0, made.stderr[-2000:]
        options = [
            f"--port={self.database_port}", "--bind-address=127.0.0.1", f"--socket={self.folder}/database.socket",
            f"--pid-file={self.folder}/database.pid", "--skip-grant-tables", "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=16M",
        ]  # fmt: skip
        self.spawn("mariadbd", [*server, *options])
        until(lambda: listens(self.database_port), 20, "the database does not start")
