"""What an installer that fails posts: the events of curtin's webhook reporter, then the end of its log."""

from __future__ import annotations

import logging
import time
from typing import Any

import aiohttp

log = logging.getLogger("simulator.machine.installer")
TIMEOUT_S = 10
_INSTALL = "subiquity/Install/install"
_STEP = f"{_INSTALL}/curtin_install/run_curtin_step/cmd-install"

PLACES: dict[str, tuple[str, str, str]] = {
    "disk": (
        f"{_STEP}/stage-partitioning/builtin/cmd-block-meta",
        "curtin command block-meta",
        "curtin: Installation failed with exception: ValueError: no disk with serial or path was found\n",
    ),
    "network": (
        f"{_INSTALL}/configure_apt",
        "configuring apt",
        "Err:1 http://mirror/ubuntu jammy InRelease\n  Temporary failure resolving 'mirror'\n",
    ),
    "package": (
        f"{_STEP}/stage-curthooks/builtin/cmd-curthooks",
        "installing kernel",
        "E: Unable to locate package linux-image-nvidia\n",
    ),
}
"""Where it fails: the event that fails, its description, and the end of the log."""


async def give_up(place: str, report_url: str, log_url: str) -> None:
    """Report the failure as the real installer does; nothing at no place."""
    if place not in PLACES:
        return
    name, text, words = PLACES[place]
    events = [(_INSTALL, "installing system", ""), (name, text, ""), (name, text, "FAIL"), (_INSTALL, "", "FAIL")]
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as client:
            for event, description, result in events if report_url else ():
                async with client.post(report_url, json=_event(event, description, result)):
                    pass
            if log_url:
                async with client.post(log_url, data=words, headers={"Content-Type": "text/plain"}):
                    pass
    except (TimeoutError, aiohttp.ClientError) as error:
        log.warning("the installer could not report: %s", error)


def _event(name: str, description: str, result: str) -> dict[str, Any]:
    finished = {"result": result} if result else {}
    return {
        "name": name, "description": description, "event_type": "finish" if result else "start",
        "origin": "curtin", "timestamp": time.time(), "level": "INFO", **finished,
    }  # fmt: skip
