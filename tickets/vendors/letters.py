"""What each vendor wants to be told, within its limits. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tickets.vendors.states import Vendor

MORE = "(more in the bundle)"


@dataclass(frozen=True)
class Form:
    """What one vendor's form takes: letters of title and text, and the facts without which a case is not sent.

    `wants` are names of `Facts`; `source` says where the limits are from.
    """

    title: int
    text: int
    wants: tuple[str, ...]
    collection: str
    source: str


_OURS = "no limit is published; ours, so that a subject fits one line and a text one screen of a portal"

FORMS: dict[Vendor, Form] = {
    Vendor.DELL: Form(
        100, 1000, ("service_tag", "part_number", "serial", "symptom", "contact"), "TSR",
        "TechDirect self-dispatch, CreateDispatch: TroubleshootingNote takes 1,000 letters, and a part its number and "
        "PPID; the title is ours",
    ),
    Vendor.NVIDIA: Form(120, 4000, ("service_tag", "serial", "symptom", "contact"), "nvidia-bug-report", _OURS),
    Vendor.SUPERMICRO: Form(120, 4000, ("service_tag", "part_number", "serial", "symptom", "contact"), "", _OURS),
    Vendor.HPE: Form(120, 4000, ("service_tag", "product_number", "symptom", "contact"), "AHS", _OURS),
    Vendor.LENOVO: Form(120, 4000, ("service_tag", "symptom", "contact"), "service data", _OURS),
    Vendor.GENERIC: Form(120, 4000, ("symptom", "contact"), "", _OURS),
}  # fmt: skip

NAMES: dict[str, str] = {
    "service_tag": "service tag",
    "product_number": "product number",
    "part_number": "part number",
    "serial": "serial of the failed part",
    "symptom": "what is wrong",
    "contact": "name, telephone and mail of who is called back",
}


@dataclass(frozen=True)
class Facts:
    """What is known of a failure. Empty where it is not."""

    key: str = ""
    service_tag: str = ""
    product_number: str = ""
    model: str = ""
    part: str = ""
    part_number: str = ""
    serial: str = ""
    symptom: str = ""
    contact: str = ""
    firmware: Mapping[str, str] = field(default_factory=dict)
    evidence: Sequence[str] = ()
    tried: Sequence[str] = ()


@dataclass(frozen=True)
class Letter:
    """`missing` are facts that the vendor wants and nobody gave; `cut`: not all of the evidence had room."""

    title: str
    text: str
    missing: tuple[str, ...]
    cut: bool = False


def vendor_of(word: str) -> Vendor:
    """By the vendor's name as a device model or a BMC has it."""
    low = word.lower()
    return next((each for each in Vendor if each is not Vendor.GENERIC and each.value in low), Vendor.GENERIC)


def missing(vendor: Vendor, facts: Facts) -> tuple[str, ...]:
    return tuple(NAMES[name] for name in FORMS[vendor].wants if not str(getattr(facts, name)).strip())


def write(vendor: Vendor, facts: Facts) -> Letter:
    """Title and text: what identifies the machine, the symptom, and evidence as far as there is room."""
    form = FORMS[vendor]
    head = [
        f"{name}: {value}"
        for name, value in (
            ("Service tag" if vendor is Vendor.DELL else "Serial number", facts.service_tag),
            ("Product number", facts.product_number),
            ("Model", facts.model),
            ("Failed part", facts.part),
            ("Part number", facts.part_number),
            ("PPID" if vendor is Vendor.DELL else "Serial of the part", facts.serial),
            ("Our reference", facts.key),
        )
        if value
    ]
    firmware = ", ".join(f"{name} {version}" for name, version in facts.firmware.items() if version)
    body = [*head, "", *_lines(facts.symptom)]
    evidence = [line for each in facts.evidence for line in _lines(each)]
    rest = [
        *(["", "Tried:", *(f"- {each}" for each in facts.tried)] if facts.tried else []),
        *(["", f"Firmware: {firmware}"] if firmware else []),
        *(["", "Evidence:", *(f"- {line}" for line in evidence)] if evidence else []),
    ]
    text, cut = _fitting(body, rest, form.text)
    return Letter(_title(facts, form.title), text, missing(vendor, facts), cut)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines() if line.strip()]


def _title(facts: Facts, most: int) -> str:
    about = next(iter(_lines(facts.symptom)), "hardware failure")
    title = ": ".join(each for each in (" ".join(filter(None, (facts.service_tag, facts.part))), about) if each)
    return clipped(title, most)


def clipped(text: str, most: int) -> str:
    """At most so many letters; what was longer ends with an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _fitting(body: Sequence[str], rest: Sequence[str], most: int) -> tuple[str, bool]:
    """All lines that have room, whole ones only; of a body that alone is too long the beginning."""
    whole = "\n".join(body).strip()
    if len(whole) > most:
        return clipped(whole, most), True
    for count in range(len(rest), -1, -1):
        kept = [*body, *rest[:count]]
        text = "\n".join([*kept, *([MORE] if count < len(rest) else [])]).strip()
        if len(text) <= most:
            return text, count < len(rest)
    return whole, True
