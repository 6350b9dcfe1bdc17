"""Who acts on machines where nobody did by hand, and what a call to a machine told. Pure."""

from __future__ import annotations

from enum import StrEnum

AUTOMATION = "automation"
"""Who acted, in records and events, where nobody did by hand."""


class Report(StrEnum):
    """What the call itself told, written as soon as it is known. Empty after `sent` means a crash or no answer."""

    NONE = ""
    ACCEPTED = "accepted"  # will happen; the effect is still to be seen
    DONE = "done"  # happened, and the call saw it end well
    FAILED = "failed"  # ran, and said that it failed
    REFUSED = "refused"  # proven not begun: may be tried again
    IMPOSSIBLE = "impossible"  # can never work on this machine


# Owners: a word, and the number of the run of active checks that has the machine, or of the action to be verified.
TEST = "active:"


ACTION = "action:"
