"""A program of `stub_instance`: its name, the file of the order, who dies by itself, and if that is at the start."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import NoReturn

name, order, dies, at_start = sys.argv[1:5]


def stop(*_: object) -> NoReturn:
    with open(order, "a") as out:
        out.write(name + "\n")
    os._exit(0)


signal.signal(signal.SIGTERM, stop)
if name == "pool":
    for _ in range(2):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
if not (dies == name and at_start):
    print(name, "is up as", os.environ["STUB"], flush=True)
if dies == name:
    time.sleep(0 if at_start else 1)
    print("this stub has had enough", flush=True)
    sys.exit(7)
time.sleep(600)
