"""On which face one stands to touch something: one rule for pictures, places, ways and tickets. Pure.

`device` is the face a device shows in its rack: front, rear, or both for one of full depth.
"""

from __future__ import annotations


def face_of_port(said: str, device: str) -> str:
    """A port that does not say where it is is at the rear, or on the only face that its device has."""
    return said or ("rear" if device == "both" else device)


def face_of_slot(port: str | None, device: str) -> str:
    """`port`: what the port on the part in the slot says, None without one. A part without ports is reached from the
    front, or from the only face that its device has."""
    if port is not None:
        return face_of_port(port, device)
    return "front" if device == "both" else device
