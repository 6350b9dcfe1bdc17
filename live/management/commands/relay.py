"""`manage.py relay`: publish committed events until stopped."""

import contextlib
import os
import signal
import threading
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from live import relay


class Command(BaseCommand):
    help = "Publish committed events to the dashboards. Several may run; one is elected."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write("relay ready")
        self.stdout.flush()
        relay.run(stop, alive=touch_pulse)


def touch_pulse() -> None:
    """A full disk does not end the relay: its pulse is late then, which is true."""
    pulse = os.environ.get("RACKSIDE_PULSE_FILE")
    if pulse:
        with contextlib.suppress(OSError):
            Path(pulse).touch()
