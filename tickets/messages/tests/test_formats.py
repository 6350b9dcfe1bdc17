"""The payload of each kind of channel, as its own documentation has it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tickets.messages.formats import Content, post_of, problem_of_answer, split_topic

CONTENT = Content(
    "REP-2041 P1 opened: GPU 5 <gone>", "Xid 79 & more\nsecond line", "https://r.example.org/tickets/REP-2041", "P1",
    "opened", "REP-2041", "ams1",
)  # fmt: skip


def body(kind: str, url: str = "https://chat.example.org/hooks/x", content: Content = CONTENT) -> Any:
    return json.loads(post_of(kind, url, content).body)


def test_slack_gets_blocks_with_its_own_signs_escaped() -> None:
    told = body("slack")
    (block,) = told["blocks"]
    assert block["type"] == "section" and block["text"]["type"] == "mrkdwn"
    assert block["text"]["text"].startswith(
        "*<https://r.example.org/tickets/REP-2041|REP-2041 P1 opened: GPU 5 &lt;gone"
    )
    assert "Xid 79 &amp; more" in block["text"]["text"] and told["text"].endswith("&gt;")


def test_mattermost_gets_an_attachment_that_calls_nobody() -> None:
    told = body("mattermost", content=Content("t", "hello @channel", "https://x/", "P2"))
    (attachment,) = told["attachments"]
    assert attachment["title_link"] == "https://x/" and "@channel" not in attachment["text"]


def test_teams_gets_an_adaptive_card_with_a_button() -> None:
    told = body("teams")
    (attachment,) = told["attachments"]
    assert told["type"] == "message" and attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["version"]) == ("AdaptiveCard", "1.4")
    assert [block["text"] for block in card["body"]][1:] == ["Xid 79 & more", "second line"]
    assert card["actions"] == [{"type": "Action.OpenUrl", "title": "Open", "url": CONTENT.url}]


def test_ntfy_is_told_at_the_root_of_its_server_with_the_topic_within() -> None:
    post = post_of("ntfy", "https://ntfy.example.org/push/repair?auth=QmFzaWM", CONTENT)
    assert post.url == "https://ntfy.example.org/push/?auth=QmFzaWM"
    told = json.loads(post.body)
    assert (told["topic"], told["priority"], told["click"]) == ("repair", 5, CONTENT.url)


@pytest.mark.parametrize(
    "url", ["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a b", "https://n.sh/" + "x" * 65]
)
def test_an_address_without_a_topic_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="topic"):
        split_topic(url)


@pytest.mark.parametrize(("kind", "most"), [("slack", 3000), ("ntfy", 4096), ("mattermost", 16_383), ("teams", 28_000)])
def test_no_message_is_longer_than_its_receiver_takes(kind: str, most: int) -> None:
    told = body(kind, "https://x.example.org/topic", Content("t" * 400, "line of a log\n" * 5000, "https://x/"))
    texts = {"slack": lambda: told["blocks"][0]["text"]["text"], "ntfy": lambda: told["message"],
             "mattermost": lambda: told["attachments"][0]["text"], "teams": lambda: json.dumps(told)}  # fmt: skip
    assert len(texts[kind]()) <= most


def test_a_hook_that_says_no_with_status_200_did_not_take_it() -> None:
    assert problem_of_answer("slack", 200, "ok") == "" and problem_of_answer("mattermost", 200, "<html>") == ""
    assert "no_service" in problem_of_answer("slack", 200, "no_service")
