"""Markdown to HTML that is safe to show: no HTML of its own, no pictures, and links only to where a page may lead."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")
_LINK = re.compile(r"(?:https?://|mailto:|/(?!/)|#)", re.IGNORECASE)


def _leads_somewhere(url: str) -> bool:
    """Only web pages, mail, and pages of this service: a link of another scheme is shown as it was written."""
    return bool(_LINK.match(url.strip()))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline"])
    parser.validateLink = _leads_somewhere  # type: ignore[method-assign]

    def outward(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
        tokens[index].attrSet("rel", "noopener noreferrer")
        return str(self.renderToken(tokens, index, options, env))

    parser.add_render_rule("link_open", outward)
    return parser


_PARSER = _parser()


@lru_cache(maxsize=1024)
def html(text: str) -> str:
    """Safe HTML."""
    return str(_PARSER.render(text)).strip()


def escaped(word: str) -> str:
    """A word that means itself in Markdown, such as a machine's name with underscores."""
    return _SPECIAL.sub(r"\\\1", word)
