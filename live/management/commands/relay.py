"""`manage.py relay`: publish committed events until stopped."""

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
        pulse = os.environ.get("RACKSIDE_PULSE_FILE")
        relay.run(stop, alive=Path(pulse).touch if pulse else lambda: None)
