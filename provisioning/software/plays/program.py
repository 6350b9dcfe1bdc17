"""What ansible-runner starts instead of `ansible-playbook`: the same with an environment of its own.

It ends with the worker that started it, and gets nothing of the worker's environment, in which this service's keys are.
Run by its path, with the standard library alone.
"""

import ctypes
import os
import signal
import sys

KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "PYTHONIOENCODING")
OF_ANSIBLE = ("ANSIBLE_", "AWX_", "RUNNER_", "ORIGINAL_STDOUT_CALLBACK")
PR_SET_PDEATHSIG = 1


def main() -> None:
    program, worker = sys.argv[1], int(sys.argv[2])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != worker:
        sys.exit(1)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    env = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith(OF_ANSIBLE)}
    os.execve(sys.executable, [sys.executable, program, *sys.argv[3:]], env)


if __name__ == "__main__":
    main()
