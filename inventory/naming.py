"""Names made of places, and places read from names. Pure.

A pattern has letters that stand for themselves, and fields in braces:

    {tier} {room} {row} {rack} {side} {feed}     texts: in small letters, blanks as hyphens
    {rack:upper}  {side:short}                   in capitals; the first letters of its words (rear-left is rl)
    {rack:02}  {row:1}  {room:01}                the number a text ends with, with at least so many digits
    {u} {u:02}  {n} {n:02}                       lowest unit; number of the device in its rack, from 1, upwards

`{tier}-{rack}-u{u:02}` makes leaf-a07-u41. A pattern is good when every name leads back to one place: `Pattern`
refuses what no reader could take apart, and `Places.check` what cannot be told apart at a site.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

TEXTS = ("tier", "room", "row", "rack", "side", "feed")
NUMBERS = ("u", "n")
MAX_NAME = 64
TIERS = ("leaf", "spine", "core", "tor")

_TOKEN = re.compile(r"\{([a-z]+)(?::([a-z0-9]+))?\}|([^{}]+)|(.)")
_END_NUMBER = re.compile(r"(\d+)$")
_SCREENED = re.compile(r"[^a-z0-9._-]+")


class PatternError(ValueError):
    """A pattern that makes no names, or names that lead to no single place; the text says why."""


class CannotName(ValueError):
    """A device that the pattern makes no name for; the text says why."""


class Place(NamedTuple):
    """Where a device is, as far as names tell. Numbers that do not apply are None, texts are empty."""

    room: str = ""
    row: str = ""
    rack: str = ""
    u: int | None = None
    n: int | None = None
    side: str = ""
    tier: str = ""
    feed: str = ""


@dataclass(frozen=True)
class Field:
    name: str
    style: str = ""

    @property
    def is_number(self) -> bool:
        return self.name in NUMBERS or self.style.isdigit()

    @property
    def width(self) -> int:
        return int(self.style) if self.style.isdigit() else 1

    def shown(self, place: Place) -> str:
        """The field of a place as a name has it. Raises CannotName."""
        value = getattr(place, self.name)
        if value is None or value == "":
            raise CannotName(f"it has no {self.name}")
        if isinstance(value, int):
            return f"{value:0{self.width}d}"
        if self.style.isdigit():
            number = _END_NUMBER.search(value)
            if number is None:
                raise CannotName(f"{self.name} {value!r} ends with no number")
            return f"{int(number[1]):0{self.width}d}"
        text = _SCREENED.sub("-", value.lower()).strip("-")
        if self.style == "short":
            text = "".join(word[0] for word in re.split(r"[._-]+", text) if word)
        if not text:
            raise CannotName(f"{self.name} {value!r} has no letter that a name could have")
        return text.upper() if self.style == "upper" else text


class Pattern:
    """A pattern taken apart. Raises PatternError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str | Field] = list(_parts(text))
        self.fields = [part for part in self.parts if isinstance(part, Field)]
        names = [field.name for field in self.fields]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise PatternError(f"{{{twice[0]}}} stands in it twice")
        if "rack" not in names:
            raise PatternError("it has no {rack}: a name would not lead to a place")
        for left, right in pairwise(self.parts):
            if isinstance(left, Field) and isinstance(right, Field):
                if left.is_number and right.is_number:
                    raise PatternError(f"put something between the numbers {{{left.name}}} and {{{right.name}}}")
            elif isinstance(left, Field) and left.is_number and isinstance(right, str) and right[0].isdigit():
                raise PatternError(f"put something between {{{left.name}}} and the digits {right!r}")

    def name(self, place: Place) -> str:
        """The name of a device at this place. Raises CannotName."""
        name = "".join(part if isinstance(part, str) else part.shown(place) for part in self.parts)
        if len(name) > MAX_NAME:
            raise CannotName(f"{name!r} is longer than {MAX_NAME} letters")
        return name

    def has(self, field: str) -> bool:
        return any(each.name == field for each in self.fields)


def _parts(text: str) -> Iterator[str | Field]:
    for name, style, letters, other in _TOKEN.findall(text):
        if other:
            raise PatternError(f"{other!r} opens or closes no field")
        if letters:
            if any(letter.isspace() or letter == "/" for letter in letters):
                raise PatternError("a name has no blank and no slash")
            yield letters
        elif name not in TEXTS + NUMBERS:
            raise PatternError(f"there is no field {{{name}}}: {', '.join(TEXTS + NUMBERS)}")
        elif style and not (style.isdigit() or (name in TEXTS and style in ("upper", "short"))):
            raise PatternError(f"{{{name}:{style}}}: a width such as 02" + (", upper or short" * (name in TEXTS)))
        elif style.isdigit() and not 1 <= int(style) <= 6:
            raise PatternError(f"{{{name}:{style}}}: a number has 1 to 6 digits")
        else:
            yield Field(name, style)


class RackPlace(NamedTuple):
    """A rack of a site, with the sides things hang at in it."""

    room: str
    row: str
    rack: str
    height_u: int = 48


class Places:
    """What names of a site can lead to: its racks, and the words it has for tiers, sides and feeds."""

    def __init__(
        self,
        racks: Iterable[RackPlace],
        *,
        tiers: Iterable[str] = (),
        sides: Iterable[str] = (),
        feeds: Iterable[str] = (),
    ) -> None:
        self.racks = list(racks)
        self._words = {
            "room": {rack.room for rack in self.racks},
            "row": {rack.row for rack in self.racks},
            "rack": {rack.rack for rack in self.racks},
            "tier": _with_usual(tiers, TIERS),
            "side": _with_usual(sides, ("rear-left", "rear-right")),
            "feed": _with_usual(feeds, ("A", "B")),
        }
        self._forms: dict[Field, dict[str, frozenset[str]]] = {}
        self._named: dict[str, list[RackPlace]] = defaultdict(list)
        for rack in self.racks:
            self._named[rack.rack].append(rack)

    def read(self, pattern: Pattern, name: str) -> list[Place]:
        """Every place this name can mean; one if it is a good name, none if it is not of this pattern."""
        found: dict[Place, None] = {}
        for values in self._readings(pattern.parts, name):
            for place in self._places(values):
                found[place] = None
        return list(found)

    def place(self, pattern: Pattern, name: str) -> Place | None:
        """The place a name means; None when it is not of this pattern or could mean several."""
        places = self.read(pattern, name)
        return places[0] if len(places) == 1 else None

    def check(self, pattern: Pattern, tier: str = "") -> None:
        """Raises PatternError for a pattern that gives two places of the site one name."""
        made: dict[str, Place] = {}
        for place in self._samples(pattern, tier):
            try:
                name = pattern.name(place)
            except CannotName:
                continue  # a rack without a row, say: told of the device, not of the pattern
            other = made.setdefault(name, place)
            places = [other, place] if other != place else self.read(pattern, name)
            if len(places) > 1:
                both = " and ".join(told(each) for each in places[:2])
                raise PatternError(f"{name} could be {both}")

    # ---- reading ----

    def _readings(self, parts: Sequence[str | Field], rest: str) -> Iterator[dict[str, frozenset[str] | int]]:
        """Field to the raw texts, or the number, it may stand for; one dictionary for each way to read the name."""
        if not parts:
            if not rest:
                yield {}
            return
        part = parts[0]
        if isinstance(part, str):
            if rest.startswith(part):
                yield from self._readings(parts[1:], rest[len(part) :])
            return
        for shown, meant in self._options(part, rest):
            for further in self._readings(parts[1:], rest[len(shown) :]):
                yield {part.name: meant, **further}

    def _options(self, field: Field, rest: str) -> Iterator[tuple[str, frozenset[str] | int]]:
        if field.name in NUMBERS:
            digits = re.match(r"\d*", rest)
            for length in range(1, len(digits[0]) + 1 if digits else 1):
                text = rest[:length]
                if text == f"{int(text):0{field.width}d}" and int(text) >= 1:
                    yield text, int(text)
            return
        forms = self._forms_of(field)
        for length in range(1, len(rest) + 1):
            if rest[:length] in forms:
                yield rest[:length], forms[rest[:length]]

    def _forms_of(self, field: Field) -> dict[str, frozenset[str]]:
        """What the site's words look like in this field, and which words look so."""
        if field not in self._forms:
            forms: dict[str, set[str]] = defaultdict(set)
            for word in self._words[field.name]:
                try:
                    forms[field.shown(Place()._replace(**dict[str, Any]({field.name: word})))].add(word)
                except CannotName:
                    continue
            self._forms[field] = {shown: frozenset(words) for shown, words in forms.items()}
        return self._forms[field]

    def _places(self, values: dict[str, frozenset[str] | int]) -> Iterator[Place]:
        """The racks that agree with all that was read, each with the rest of it."""
        racks, rooms, rows = (values.get(name) for name in ("rack", "room", "row"))
        u, n = values.get("u"), values.get("n")
        for name in racks if isinstance(racks, frozenset) else ():
            for rack in self._named[name]:
                if isinstance(rooms, frozenset) and rack.room not in rooms:
                    continue
                if isinstance(rows, frozenset) and rack.row not in rows:
                    continue
                if isinstance(u, int) and u > rack.height_u:
                    continue
                for tier, side, feed in self._further(values):
                    yield Place(
                        rack.room,
                        rack.row,
                        rack.rack,
                        u if isinstance(u, int) else None,
                        n if isinstance(n, int) else None,
                        side,
                        tier,
                        feed,
                    )

    @staticmethod
    def _further(values: dict[str, frozenset[str] | int]) -> Iterator[tuple[str, str, str]]:
        words = [values.get(name, frozenset({""})) for name in ("tier", "side", "feed")]
        tiers, sides, feeds = (each if isinstance(each, frozenset) else frozenset({""}) for each in words)
        for tier in sorted(tiers):
            for side in sorted(sides):
                for feed in sorted(feeds):
                    yield tier, side, feed

    # ---- trying ----

    def _samples(self, pattern: Pattern, tier: str) -> Iterator[Place]:
        """Places of every rack, with every word there is, and units and numbers of one and of two digits and those that
        fill their width: the zeros they end with may be read as the beginning of a rack, such as 01."""
        widths = {field.width for field in pattern.parts if isinstance(field, Field) and field.name == "n"}
        long = {10**digits for width in widths for digits in (max(width, 1) - 1, max(width, 1))}
        tiers = [tier] if tier else sorted(self._words["tier"]) if pattern.has("tier") else [""]
        sides = sorted(self._words["side"] - {""}) if pattern.has("side") else [""]
        feeds = sorted(self._words["feed"] - {""}) if pattern.has("feed") else [""]
        for rack in self.racks:
            units = {1, 10, 11, rack.height_u} if pattern.has("u") else {0}
            numbers = sorted({1, 11} | long) if pattern.has("n") else [0]
            for word in tiers if pattern.has("tier") else [""]:
                for side in sides:
                    for feed in feeds:
                        for u in sorted(unit for unit in units if unit <= rack.height_u):
                            for n in numbers:
                                yield Place(*rack[:3], u or None, n or None, side, word, feed)


def _with_usual(words: Iterable[str], usual: Sequence[str]) -> set[str]:
    """The site's words, and the usual ones it does not write in its own way."""
    found = {word for word in words if word}
    return found | {word for word in usual if word.lower() not in {each.lower() for each in found}}


def told(place: Place) -> str:
    """A place in words."""
    parts = [place.room, f"row {place.row}" if place.row else "", f"rack {place.rack}"]
    parts += [f"U{place.u}" if place.u else "", f"number {place.n}" if place.n else ""]
    parts += [place.side, f"feed {place.feed}" if place.feed else "", f"tier {place.tier}" if place.tier else ""]
    return " ".join(part for part in parts if part)
