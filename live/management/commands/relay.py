"""`manage.py relay`: publish committed events until stopped."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from live import relay
from live.pulse_file import touch


class Command(BaseCommand):
    help = "Publish committed events to the dashboards. Several may run; one is elected."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write("relay ready")
        self.stdout.flush()
        relay.run(stop, alive=touch)
