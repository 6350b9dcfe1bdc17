"""The language of runbooks: closed, refused with its place, and silent about what is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickets.runbooks.language import STATES, WORDS, Facts, TemplateError, parse, render
from tickets.runbooks.markdown import escaped, html

DRAINED = "{% if drained %}It is drained.{% else %}Have it drained.{% endif %}"


@pytest.mark.parametrize(
    ("known", "said"), [(True, "It is drained."), (False, "Have it drained."), (None, "Have it drained.")]
)
def test_a_text_never_says_drained_of_a_machine_that_is_not_or_is_not_known_to_be(
    known: bool | None, said: str
) -> None:
    assert render(DRAINED, Facts(states={"drained": known})) == said
    assert render(DRAINED, Facts()) == "Have it drained."


def test_not_of_what_is_not_known_claims_nothing_either() -> None:
    text = "{% if not on %}It is off.{% else %}Look first.{% endif %}"
    assert render(text, Facts(states={"on": None})) == "Look first."
    assert render(text, Facts(states={"on": False})) == "It is off."


@pytest.mark.parametrize(
    ("condition", "states", "holds"),
    [
        ("off and drained", {"off": True, "drained": True}, True),
        ("off and drained", {"off": True, "drained": None}, False),
        ("off and drained", {"off": None, "drained": False}, False),
        ("off or drained", {"off": None, "drained": True}, True),
        ("off or not in_service", {"off": False, "in_service": False}, True),
        ("off or drained", {"off": None, "drained": False}, False),
    ],
)
def test_conditions_join_states(condition: str, states: dict[str, bool | None], holds: bool) -> None:
    text = "{% if " + condition + " %}yes{% else %}no{% endif %}"
    assert render(text, Facts(states=states)) == ("yes" if holds else "no")


def test_conditions_stand_within_each_other_and_words_are_filled_in() -> None:
    text = "{% if off %}{% if hot %}a{% else %}b {{ machine }}{% endif %}{% endif %}."
    assert render(text, Facts({"machine": "m1"}, {"off": True, "hot": False})) == "b m1."
    assert render("{{ serial }}", Facts()) == "not known", "a ticket shows no hole"


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("one\ntwo {{ colour }}", 2, 5, "'colour' is no word"),
        ("{{ machine.device }}", 1, 1, "'machine.device' is no word"),
        ("{% if broken %}x{% endif %}", 1, 1, "'broken' is no state"),
        ("{% if off %}x", 1, 1, "if without an endif"),
        ("x{% endif %}", 1, 2, "endif without an if"),
        ("{% if off %}a{% else %}b{% else %}c{% endif %}", 1, 25, "a second else"),
        ("{% for x in y %}", 1, 1, "is not if, else or endif"),
        ("{% if off and on or hot %}x{% endif %}", 1, 1, "and with or"),
        ("{% if %}x{% endif %}", 1, 1, "no condition"),
        ("a {{ machine", 1, 3, "{{ is not closed"),
        ("{% if off %}" * 6 + "{% endif %}" * 6, 1, 61, "more than 5"),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(TemplateError) as error:
        parse(text)
    assert (error.value.line, error.value.column) == (line, column)
    assert reason in error.value.reason


@given(st.text(alphabet="ab {}%ifelsendwords\n", max_size=60))
def test_any_text_is_rendered_or_refused(text: str) -> None:
    try:
        parse(text)
    except TemplateError:
        return
    assert isinstance(render(text, Facts(dict.fromkeys(WORDS, "w"), dict.fromkeys(STATES, True))), str)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html;base64,PHN2Zz4=)",
        "[a](//elsewhere.example/)",
        "![a](https://elsewhere.example/pixel.png)",
        "<https://ok.example/><svg/onload=alert(1)>",
    ],
)
def test_markdown_never_becomes_html_that_does_something(text: str) -> None:
    found = html(text).lower()
    assert "<script" not in found and "<img" not in found and "<svg" not in found
    assert 'href="javascript' not in found and 'href="data' not in found and 'href="//' not in found


def test_markdown_says_what_it_should() -> None:
    assert html("**off** and `x`") == "<p><strong>off</strong> and <code>x</code></p>"
    assert html("[docs](/docs)") == '<p><a href="/docs" rel="noopener noreferrer">docs</a></p>'
    name = "hgx_a*01*[x](javascript:1)"
    assert html(escaped(name)) == f"<p>{name}</p>", "a name means itself"
