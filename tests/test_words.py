"""What users read uses the words of the field: the old ones that can be told mechanically do not come back.

Read are the dashboard's sources, the documents, and the strings of the Python code (docstrings, tests and migrations
left out). A word with an ordinary meaning beside the old one ("look for", "cap" of a frequency) is not listed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.schema import api_document

ROOT = Path(__file__).parents[1]

OLD = {
    "looked at": (r"(not|never|were|was|are|is|be|being|been) looked at", "checked"),
    " look": (
        r"(first|second|newest|good|next|last|one|earlier|same|this|the|each|every) looks?(?! (at|for|of))|only look",
        "check, or discovery run of a fabric",
    ),
    "looks at": (r"looks at (the|a|every|all|this) (machines?|fabric)", "checks, or discovers"),
    "heard": (r"(not|never|last) heard(?! of)", "unreachable, never reached, last seen"),
    "told": (
        r"((is|are|was|were) )?not told(?! apart)|(is|are|was|were) told(?! (apart|to|what|why))"
        r"|(counters|source|scheduler|machine|BMC)s? told|unless told",
        "reported; by default",
    ),
    "judged": (r"(is|are|was|were|be|been|not|nor|as) judged|judged? (again|afresh)", "evaluated"),
    "back": (
        r"held back|hold back|given back|give (it|them|the link) back",
        "rejected by the guard; released, re-enabled",
    ),
    "believe": (r"believe (it|this)|(was|is) believed", "accept anyway; trusted"),
    " use": (r"out of use|(back into|in) use again|back into use", "disabled, re-enabled"),
    "anew": (r"install(ed)? anew|(judged?|measured|tried|began|begin|start(ed)?) anew", "reimage; again"),
    "in work": (r"in work", "in progress"),
    "nobody": (r"nobody (yet|has it|(has )?judged)", "unassigned; triage"),
    "done, verify": (r"done, verify", "resolve and verify"),
    "making the": (r"making the database", "initializing the database"),
    " cap": (r"(at|within|beyond|past|reached) (its|the) cap", "disruption budget"),
    "rung": (r"rungs?", "remediation level"),
    "the ladder": (r"the ladder", "escalation ladder"),
    "shared cause": (r"shared causes?", "common cause"),
    "in other hands": (r"in other hands", "leased by another worker"),
    "nervous": (r"nervous", "flapping"),
    "observe": (r"observe-only|only observes?|only observed|observe only", "audit mode"),
    "wish": (r"wish(es|ed)?", "desired state"),
    "paper": (r"papers?", "documents"),
    " plug": (
        r"(a|the|one|no|same|each|this) plug(?! (into|in))|(has|two|several|with|of|their|its) plugs",
        "connector",
    ),
    "over": (r"left-?overs", "residual state"),
    "veil": (r"(un)?veiled", "masked"),
    "of life": (r"signs? of life", "heartbeat"),
    "quicker": (r"somebody was quicker", "edit conflict"),
    "stand in": (r"could stand in", "replacement candidates"),
    "would do now": (r"what (it|automation) would do now", "planned actions"),
    "breaker": (r"(automation's|close the|the site's) breaker", "circuit breaker"),
}
"""By what every match holds: the old phrase, and what to say. Whole words, in any case of letters."""

RULES = {
    stem: (re.compile(rf"(?<![\w/.-])(?:{old})(?![\w/-])", re.IGNORECASE), new) for stem, (old, new) in OLD.items()
}

COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?<![:\"'`\w])//[^\n]*|<style.*?</style>", re.DOTALL)

SHOWN = re.compile(r"""(?<![=\w])"([A-Z][^"\n]*|[^"\n]* [^"\n]*)"|`([^`\n]* [^`\n]*)`|(?<!=)[>}]([^<>{}=;\n]+)""")
"""Strings that are more than a name (a space, or a capital), and text between tags."""

ATTRIBUTE = re.compile(r"""\b(?:title|label|hint|placeholder|explain|action|aria-[a-z]+)="([^"\n]*)\"""")

FILLED = re.compile(r"\$?\{[^{}]*\}")

CODE_IN_DOCS = re.compile(r"^```.*?^```|`[^`\n]*`|\]\([^)\n]*\)", re.DOTALL | re.MULTILINE)


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with what matches taken out, each line where it was."""
    return pattern.sub(lambda found: "\n" * found.group().count("\n"), text)


def frontend_texts(line: str) -> Iterator[str]:
    """What a line shows: its strings and its text, without what is filled in."""
    for found in [*SHOWN.finditer(line), *ATTRIBUTE.finditer(line)]:
        yield FILLED.sub("", next(text for text in found.groups() if text is not None))


def old_words(text: str) -> Iterator[tuple[str, str]]:
    low = text.lower()
    for stem, (pattern, new) in RULES.items():
        if stem in low and (found := pattern.search(text)):
            yield found.group(), new


def suspects(source: str) -> dict[int, str]:
    """Lines that hold an old word anywhere, by number. Most files have none, and are read no further."""
    low = source.lower()
    if not any(stem in low and pattern.search(source) for stem, (pattern, _) in RULES.items()):
        return {}
    return {number: line for number, line in enumerate(source.splitlines(), 1) if any(old_words(line))}


def in_frontend(source: str) -> Iterator[tuple[int, str, str]]:
    for number, line in suspects(blanked(COMMENT, source)).items():
        for text in frontend_texts(line):
            yield from ((number, *found) for found in old_words(text))


def in_document(source: str) -> Iterator[tuple[int, str, str]]:
    """Code and the targets of links are no text."""
    for number, line in suspects(blanked(CODE_IN_DOCS, source)).items():
        yield from ((number, *found) for found in old_words(line))


def in_python(source: str) -> Iterator[tuple[int, str, str]]:
    """Strings of more than one word that are neither docstrings nor SQL."""
    if not suspects(source):
        return
    tree = ast.parse(source)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in skipped:
            continue
        if " " in node.value.strip() and "SELECT" not in node.value:
            yield from ((node.lineno, *found) for found in old_words(node.value))


def shipped() -> Iterator[tuple[Path, Callable[[str], Iterator[tuple[int, str, str]]]]]:
    """Every file that holds text for users, and how it is read."""
    frontend, docs = ROOT / "frontend" / "src", ROOT / "docs"
    for path in sorted([*frontend.rglob("*.svelte"), *frontend.rglob("*.ts")]):
        if not path.name.endswith((".test.ts", ".d.ts")):
            yield path, in_frontend
    for path in [ROOT / "README.md", *sorted(docs.glob("*.md")), *sorted((docs / "guides").glob("*.md"))]:
        yield path, in_document
    for app in sorted(
        path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name not in ("tests", "benchmarks")
    ):
        for path in sorted(app.rglob("*.py")):
            if not {"tests", "migrations"} & set(path.relative_to(ROOT).parts):
                yield path, in_python


def test_no_text_for_users_holds_an_old_word() -> None:
    wrong = [
        f'{path.relative_to(ROOT)}:{line}: "{old}": say {new}'
        for path, read in shipped()
        for line, old, new in read(path.read_text("utf-8"))
    ]
    assert not wrong, "words of our own where the field has one (docs/glossary.md):\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("read", "source", "found"),
    [
        (in_python, 'x = "the link is out of use"', [(1, "out of use")]),
        (in_python, '"""The link is out of use."""\nx = 1', []),
        (in_frontend, "// held back\n<b>Held back</b>", [(2, "Held back")]),
        (in_frontend, 'const rung = row["rung"]; // the rung', []),
        (in_frontend, '<Empty title="Not looked at yet">It is {rung}.</Empty>', [(1, "Not looked at")]),
        (in_document, "See `held_back`, and\nthe ladder.", [(2, "the ladder")]),
        (in_document, "Look for the cap of the pen.", []),
        (in_document, "Evaluated.\nIt is judged by the same look.", [(2, "is judged"), (2, "same look")]),
    ],
)  # fmt: skip
def test_an_old_word_is_found_where_users_read_it(
    read: Callable[[str], Iterator[tuple[int, str, str]]], source: str, found: list[tuple[int, str]]
) -> None:
    assert sorted({(line, old) for line, old, _ in read(source)}) == found


def in_contract(node: Any, place: str = "") -> Iterator[tuple[str, str, str]]:
    """What the OpenAPI document says in words: the docstrings of views and serializers are published there."""
    for name, each in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if name in ("summary", "description") and isinstance(each, str):
            yield from ((f"{place}/{name}", *found) for found in old_words(each))
        else:
            yield from in_contract(each, f"{place}/{name}")


def test_no_description_of_the_api_holds_an_old_word() -> None:
    wrong = [f'{place}: "{old}": say {new}' for place, old, new in in_contract(api_document())]
    assert not wrong, "old words at /api/docs/ (docs/glossary.md), in docstrings or help texts:\n" + "\n".join(wrong)


def test_an_old_word_is_found_wherever_the_api_describes_itself() -> None:
    path = {"/api/links/": {"get": {"summary": "Links out of use", "parameters": [{"description": "Not told."}]}}}
    schema = {"properties": {"description": {"type": "string", "description": "One look."}}, "example": "the ladder"}
    found = [(place, old) for place, old, _ in in_contract({"paths": path, "schema": schema})]
    assert found == [
        ("/paths//api/links//get/summary", "out of use"),
        ("/paths//api/links//get/parameters/0/description", "Not told"),
        ("/schema/properties/description/description", "One look"),
    ]


OLD_NAMES = re.compile(
    r"\b(heard|heard_at|look|looked_at|silent|plugs?|swap_plug|cap|\w*(told|believed|observe_only)|judge\w+|(start_)?rungs?"
    r"|wish|wished_at)\??:|\"(heard|silent|swap_plug|\w+_cap|shared_cause|undrained|observe_only)\""
    r"|swap-plug|observe-only|/believe/"
)
"""Of fields, filters, codes and routes: reachability, last_seen_at, checked, unreachable, connector, max_unavailable,
reported, accept_reason, audit_mode, evaluated_from, level, desired_state, disruption_budget, common_cause."""


def test_no_public_name_is_an_old_word() -> None:
    """Read off the generated types, which tests/test_generated_client.py holds fresh."""
    contract = (ROOT / "frontend" / "src" / "api" / "generated" / "openapi.d.ts").read_text("utf-8")
    lines = [line.strip() for line in contract.splitlines() if OLD_NAMES.search(line)]
    assert lines == []
    for old in (
        'heard?: "late" | "silent";',
        "start_rung: 1;",
        "at_is_told: boolean;",
        'drain: "drained" | "over_cap";',
    ):
        assert OLD_NAMES.search(old)
    assert not OLD_NAMES.search("heartbeat_at: string; unreachable: 1; lookups: string[]; capture: number;")


def test_no_column_of_the_cable_list_is_an_old_word() -> None:
    columns = re.search(
        r"COLUMNS[^(\[]*[(\[](.*?)[)\]]", (ROOT / "inventory/papers/lists.py").read_text("utf-8"), re.DOTALL
    )
    assert columns and '"connectors"' in columns[1] and "plug" not in columns[1]


# iDRAC is Dell's word for its BMC; what holds for every vendor says BMC.
OF_DELL = {"drivers/dialects/dell.py"}
IDRAC = re.compile(r"(?<![\w./])i?drac\b(?![\w.]|Embedded)", re.IGNORECASE)


def of_one_vendor(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """Lines of text for users that hold the word, strings of one word included."""
    if "drac" not in source.lower():
        return
    if path.suffix == ".py":
        tree = ast.parse(source)
        skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                yield from ((node.lineno, word) for word in IDRAC.findall(node.value))
        return
    text = blanked(CODE_IN_DOCS if path.suffix == ".md" else COMMENT, source)
    for number, line in enumerate(text.splitlines(), 1):
        yield from ((number, word) for word in IDRAC.findall(line))


KNOWN_NAMES = ("inventory/device_types/words.py", "provisioning/intake/lists.py")


def test_only_the_dialect_of_dell_says_idrac_to_users() -> None:
    """The virtual hall answers as the BMC of each vendor does; readers of other tools and of lists know their names."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path, _ in shipped()
        if (name := path.relative_to(ROOT).as_posix()) not in OF_DELL
        and not name.startswith((*KNOWN_NAMES, "simulator/", "inventory/fleet/reference/"))
        for line, word in of_one_vendor(path, path.read_text("utf-8"))
    ]
    assert not wrong, "say BMC:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("a.py", 'family = "iDRAC"', 1),
        ("a.py", '"""As an iDRAC does."""', 0),
        ("a.svelte", "<b>The iDRAC answers</b>", 1),
        ("a.md", "Its iDRAC, not `iDRAC.Embedded.1`.", 1),
    ],
)  # fmt: skip
def test_the_word_of_one_vendor_is_found(name: str, source: str, found: int) -> None:
    assert len(list(of_one_vendor(Path(name), source))) == found


def test_the_glossary_names_each_term_once_in_order() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)[
        2:
    ]
    terms = [term.lower() for term, _ in rows]
    assert len(terms) > 50
    assert terms == sorted(set(terms))
    assert not [term for term, line in rows if len(line) > 140], "one short line each"
