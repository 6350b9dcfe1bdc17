#!/usr/bin/env python
"""Django's command-line entry point; inside a running instance use `./rackside manage ...`."""

import os
import sys


def main() -> None:
    if sys.argv[1:3] == ["fabric", "diagnose"]:  # files only: loading the service costs more than the answer
        from fabric.from_files import main as fabric

        sys.exit(fabric(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from core.audit.actor import act_for_process, command_actor

    act_for_process(command_actor(sys.argv))
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
