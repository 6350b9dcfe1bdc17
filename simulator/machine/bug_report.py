"""What `nvidia-bug-report.sh` packs: a gzip of what the driver's tools and the kernel's log say."""

from __future__ import annotations

import gzip

MARK = "# rackside-bundle nvidia-bug-report\n"


def asked(command: str) -> bool:
    return command.startswith(MARK)


def packed(tools: str, kernel: str, environment: str) -> str:
    """The gzip, its bytes as surrogates; `environment` is what the script itself prints of where it ran."""
    text = (
        "____________________________________________\n\n"
        "Start of NVIDIA bug report log file.  Please include this file, along\nwith a detailed "
        "description of your problem, when reporting a graphics\ndriver bug via the NVIDIA Linux forum.\n\n"
        f"nvidia-bug-report.sh Version: 34275561\n\n{environment}\n"
        f"____________________________________________\n\n/usr/bin/nvidia-smi -q\n\n{tools}\n"
        f"____________________________________________\n\ndmesg\n\n{kernel}\n"
        "____________________________________________\n\nEnd of NVIDIA bug report log file.\n"
    )
    return gzip.compress(text.encode(), mtime=0).decode("utf-8", "surrogateescape")
