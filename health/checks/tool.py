"""What a command that can be read is: its name, the reading it feeds, how it is known and how it is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from health.probe import Output

Parser = Callable[[Output], Any]


@dataclass(frozen=True)
class Tool:
    """A command we can read. `may_be_silent`: an empty answer with exit status 0 tells something."""

    name: str
    reading: str
    matches: re.Pattern[str]
    parse: Parser
    may_be_silent: bool = False


def of_text(parse: Callable[[str], Any]) -> Parser:
    return lambda output: parse(output.text)


def tool(name: str, reading: str, pattern: str, parse: Parser, *, may_be_silent: bool = False) -> Tool:
    return Tool(name, reading, re.compile(pattern), parse, may_be_silent)
