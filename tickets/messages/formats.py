"""A message in the form that each kind of channel takes. Pure.

Slack: incoming webhooks with blocks. Mattermost: incoming webhooks with an attachment. Teams: an Adaptive Card for a
Workflows webhook. ntfy: JSON to the server's root. Webhook: JSON, signed by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson

COLOURS = {"P1": "#c62828", "P2": "#ef6c00", "P3": "#607d8b"}
NTFY_PRIORITY = {"P1": 5, "P2": 4, "P3": 3}
SLACK_LETTERS, TEAMS_LETTERS, NTFY_LETTERS, MATTERMOST_LETTERS = 2900, 20_000, 3500, 12_000
TOPIC_LETTERS = 64


@dataclass(frozen=True)
class Content:
    """What is told: a title of one line, lines of text, and where to read on."""

    title: str
    text: str = ""
    url: str = ""
    priority: str = ""
    event: str = ""
    ticket: str = ""
    site: str = ""


@dataclass(frozen=True)
class Post:
    """A request to be made."""

    url: str
    body: bytes


def cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"


def slack(content: Content) -> dict[str, Any]:
    """`text` is what a notification on a phone shows, `blocks` what the channel does."""
    title = _slack_text(content.title)
    linked = f"<{content.url}|{title}>" if content.url else title
    lines = f"*{linked}*" + (f"\n{_slack_text(content.text)}" if content.text else "")
    return {
        "text": cut(title, 300),
        "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": cut(lines, SLACK_LETTERS)}}],
    }


def _slack_text(text: str) -> str:
    """Slack reads <, > and & as its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def mattermost(content: Content) -> dict[str, Any]:
    attachment = {
        "fallback": cut(content.title, 300),
        "color": COLOURS.get(content.priority, COLOURS["P3"]),
        "title": cut(content.title, 300),
        "text": cut(_as_typed(content.text), MATTERMOST_LETTERS),
    }
    if content.url:
        attachment["title_link"] = content.url
    return {"username": "Rackside", "attachments": [attachment]}


def _as_typed(text: str) -> str:
    """Nobody is called by what a log says: @channel and its like lose their meaning."""
    return text.replace("@", "@\u200b")


def teams(content: Content) -> dict[str, Any]:
    """The message that a Workflows webhook posts; without buttons where there is nothing to open."""
    body: list[dict[str, Any]] = [
        {"type": "TextBlock", "text": cut(content.title, 300), "weight": "Bolder", "size": "Medium", "wrap": True,
         "color": "Attention" if content.priority == "P1" else "Default"},
    ]  # fmt: skip
    body += [
        {"type": "TextBlock", "text": line, "wrap": True, "spacing": "Small"}
        for line in cut(content.text, TEAMS_LETTERS).splitlines()
        if line.strip()
    ][:60]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
    }
    if content.url:
        card["actions"] = [{"type": "Action.OpenUrl", "title": "Open", "url": content.url}]
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def ntfy(content: Content, topic: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "topic": topic,
        "title": cut(content.title, 250),
        "message": cut(content.text or content.title, NTFY_LETTERS),
        "priority": NTFY_PRIORITY.get(content.priority, 3),
    }
    return found | ({"click": content.url} if content.url else {})


def split_topic(url: str) -> tuple[str, str]:
    """The server's address and the topic of `https://ntfy.example.org/topic`; a query (`?auth=`) stays with the server.

    Raises ValueError where there is no topic.
    """
    parts = urlsplit(url)
    before, _, topic = parts.path.rstrip("/").rpartition("/")
    if not topic or len(topic) > TOPIC_LETTERS or not topic.replace("-", "").replace("_", "").isalnum():
        raise ValueError("the address of a topic ends with its name: https://ntfy.example.org/repair")
    return parts._replace(path=before + "/").geturl(), topic


def webhook(content: Content) -> dict[str, Any]:
    return {
        "type": f"ticket.{content.event}" if content.event else "message",
        "data": {
            "title": content.title, "text": content.text, "url": content.url, "priority": content.priority,
            "ticket": content.ticket, "site": content.site,
        },
    }  # fmt: skip


def post_of(kind: str, url: str, content: Content) -> Post:
    """The request that brings a message to a channel of this kind. Raises KeyError for mail, which is no request."""
    if kind == "ntfy":
        server, topic = split_topic(url)
        return Post(server, orjson.dumps(ntfy(content, topic)))
    forms = {"slack": slack, "mattermost": mattermost, "teams": teams, "webhook": webhook}
    return Post(url, orjson.dumps(forms[kind](content)))


def problem_of_answer(kind: str, status: int, text: str) -> str:
    """Why an answer that looks good is none: Slack-like hooks say so in words with status 200."""
    said = text.strip().lower()
    if kind == "slack" and status == 200 and said not in ("", "ok"):
        return f"answered {cut(text.strip(), 200)}"
    return ""
