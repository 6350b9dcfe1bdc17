"""What of a ticket's news is told to another system. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from tickets.messages.events import News

STATUS_AFTER = {
    "taken": "in_work", "released": "open", "verifying": "verifying", "failed": "in_work", "closed": "closed",
    "reopened": "open",
}  # fmt: skip


@dataclass(frozen=True)
class Item:
    """kind and value of an `ExternalItem`."""

    kind: str
    value: str = ""


def item_of(news: News, text: str, *, came_from_there: bool) -> Item | None:
    """None for what is no news there: what came from there, above all."""
    if came_from_there:
        return None
    if news.event == "commented":
        return Item("comment", text)
    if news.event in STATUS_AFTER:
        return Item("status", STATUS_AFTER[news.event])
    return None


def wants(queues: list[str], priorities: list[str], news: News) -> bool:
    """Whether a ticket is to be opened there."""
    return (not queues or news.queue in queues) and (not priorities or news.priority in priorities)
