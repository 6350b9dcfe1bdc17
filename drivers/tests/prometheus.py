"""A Prometheus of its own for the tests: exact series loaded by promtool, or scraped; in one folder, on loopback."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.tests.ports import free_ports, listens, until

Sample = tuple[str, Mapping[str, str], Iterable[tuple[float, float]]]
"""Name, labels, points: seconds since 1970 and value."""


class PrivatePrometheus:
    """A running server. `samples` are there from the start; `scrapes` are ports of exporters, asked every second;
    `web` is the content of its web configuration (TLS, users)."""

    def __init__(self, samples: Iterable[Sample] = (), *, scrapes: Iterable[int] = (), web: str = "") -> None:
        for program in ("prometheus", "promtool"):
            assert shutil.which(program), f"no {program}: the tests need the Debian package prometheus"
        self.samples, self.scrapes, self.web = samples, list(scrapes), web
        self.folder = Path(tempfile.mkdtemp(prefix="prometheus-"))
        (self.port,) = free_ports(1)
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{'https' if 'tls_server_config' in self.web else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        try:
            self.load(self.samples)
            self.start()
        except BaseException:
            self.stop()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def load(self, samples: Iterable[Sample]) -> None:
        """Write these series as blocks; before it starts."""
        by_name: dict[str, list[str]] = {}
        for name, labels, points in samples:
            told = ",".join(f'{label}="{_quoted(value)}"' for label, value in labels.items())
            rows = by_name.setdefault(name, [])
            rows += [f"{name}{{{told}}} {value!r} {at:.3f}" for at, value in points]
        if not by_name:
            return
        text = "".join(f"# TYPE {name} gauge\n" + "\n".join(rows) + "\n" for name, rows in by_name.items())
        path = self.folder / "samples.txt"
        path.write_text(
            text.replace(" nan ", " NaN ").replace(" inf ", " +Inf ").replace(" -inf ", " -Inf ") + "# EOF\n"
        )
        done = subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", str(path), str(self.folder / "data")],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        targets = "".join(
            f"- job_name: exporter-{port}\n  static_configs: [{{targets: ['127.0.0.1:{port}']}}]\n"
            for port in self.scrapes
        )
        scraped = f"global: {{scrape_interval: 1s}}\nscrape_configs:\n{targets}" if targets else "global: {}\n"
        (self.folder / "prometheus.yml").write_text(scraped)
        (self.folder / "web.yml").write_text(self.web)
        with (self.folder / "log").open("ab") as log:
            self._running = subprocess.Popen(
                [
                    "prometheus", f"--config.file={self.folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={self.folder / 'data'}", "--storage.tsdb.retention.time=20y",
                    f"--web.listen-address=127.0.0.1:{self.port}", f"--web.config.file={self.folder / 'web.yml'}",
                ],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        until(self._ready, 30, f"Prometheus does not answer: {(self.folder / 'log').read_text()[-2000:]}")

    def _ready(self) -> bool:
        assert self._running is None or self._running.poll() is None, (self.folder / "log").read_text()[-2000:]
        return listens(self.port) and "Server is ready" in (self.folder / "log").read_text()

    def stop(self) -> None:
        if self._running is not None:
            self._running.send_signal(signal.SIGTERM)
            try:
                self._running.wait(10)
            except subprocess.TimeoutExpired:
                self._running.kill()
                self._running.wait(10)
            self._running = None


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
