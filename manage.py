#!/usr/bin/env python
"""Django's command-line entry point; inside a running instance use `./rackside manage ...`."""

import gc
import os
import sys


def main() -> None:
    answer_from_files(sys.argv[1:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from core.audit.actor import act_for_process, command_actor

    act_for_process(command_actor(sys.argv))
    execute_from_command_line(sys.argv)


def answer_from_files(words: list[str]) -> None:
    """Commands that need no service end here: loading the service costs more than their answer."""
    if words[:2] == ["fabric", "diagnose"]:
        from fabric.from_files import main as fabric

        sys.exit(fabric(words[1:]))
    if words[:2] == ["runs", "explain"]:
        from runs.from_files import main as runs

        sys.exit(runs(words[1:]))
    if words[:2] == ["facility", "read"]:
        from facility.from_agent import main as facility

        sys.exit(facility(words[1:]))
    if words[:1] == ["examine"]:
        gc.disable()  # it ends before it leaves anything worth collecting
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for some reads every package's metadata
        from health.checks.saved.examination import main as examine

        sys.exit(examine(words[1:]))


if __name__ == "__main__":
    main()
