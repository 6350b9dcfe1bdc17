"""What a command that can be read is: its name, the reading it feeds, how it is known and how it is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from health.checks.probes.script import Output

Parser = Callable[[Output], Any]


def _is_success(status: int) -> bool:
    return status == 0


def _never(data: Any, text: str) -> bool:
    return False


@dataclass(frozen=True)
class Tool:
    """A command we can read. `may_be_silent`: an empty answer with exit status 0 tells something.

    `whole` says whether an exit status belongs to an output that is whole; `explains` whether what was read says itself
    why the tool ended otherwise. Where neither is so, nothing in the output is believed to be well.
    """

    name: str
    reading: str
    pattern: str
    parse: Parser
    may_be_silent: bool = False
    whole: Callable[[int], bool] = _is_success
    explains: Callable[[Any, str], bool] = _never

    @cached_property
    def matches(self) -> re.Pattern[str]:
        """Compiled when it is first asked: one saved output is known by one of a hundred."""
        return re.compile(self.pattern)

    def doubt(self, exit_status: int, data: Any, text: str) -> str:
        """Why the output may not be whole, or nothing."""
        if self.whole(exit_status) or self.explains(data, text):
            return ""
        return f"exit status {exit_status}: the output may not be whole"


def any_status(status: int) -> bool:
    """Of tools whose status says nothing of the output: its parser knows its end, or each line is a fact of its own."""
    return True


def of_text(parse: Callable[[str], Any]) -> Parser:
    return lambda output: parse(output.text)


def tool(
    name: str,
    reading: str,
    pattern: str,
    parse: Parser,
    *,
    may_be_silent: bool = False,
    whole: Callable[[int], bool] = _is_success,
    explains: Callable[[Any, str], bool] = _never,
) -> Tool:
    return Tool(name, reading, pattern, parse, may_be_silent, whole, explains)
