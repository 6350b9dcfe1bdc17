"""What must not leave the house is taken out of texts and JSON before they go into a bundle. Pure.

It works by the names that secrets have and by the forms they take. What a vendor's own tool packs (TSR, AHS) is not
opened: those tools leave passwords out themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REMOVED = "[removed]"
_NAME = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|"
    r"credentials?|authorization|auth[_-]?key|x-auth-token|cookie|community|snmp[_-]?community|session[_-]?key|psk"
)
_SECRET_NAME = re.compile(rf"(?:^|[^a-z])(?:{_NAME})s?(?:$|[^a-z])", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)", re.DOTALL
)
_HEADER = re.compile(
    r"(?im)^([ \t>*]*(?:proxy-)?(?:authorization|x-auth-token|cookie|set-cookie|x-api-key)[ \t]*:[ \t]*)\S.*$"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)[ \t]+[A-Za-z0-9._~+/=-]{8,}")
_ASSIGNED = re.compile(
    rf"""(?ix)
    (?P<name>(?:{_NAME})[\w.-]{{0,64}}["']?[ \t]*(?:=|:|[ \t]is[ \t])[ \t]*)
    (?P<value>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s"'&}}\]]+)
    """
)
_OPTION = re.compile(rf"(?i)(?P<name>(?:^|\s)--?(?:{_NAME})[ \t]+)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s-][^\s]*)")
_TOOL = re.compile(r"(?i)\b((?:ipmitool|sshpass)\b[^\n]{0,200}?\s-p[ \t]*|curl\b[^\n]{0,200}?\s-u[ \t]*[^\s:]+:)\S+")
_IN_URL = re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/@]+@")
_FORMS = (
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),  # JSON web token
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),  # access key of AWS
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b"),
    re.compile(r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
    re.compile(r"\$(?:1|2[aby]|5|6|7|y)\$[^\s:]{8,}"),  # hashes of /etc/shadow
)


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is a secret: `Password`, `authToken`, `snmp-community`."""
    return bool(_SECRET_NAME.search(_CAMEL.sub("_", name)))


def text(given: str) -> str:
    """The text without secrets. Scrubbing again changes nothing."""
    found = _BLOCK.sub(REMOVED, given)
    found = _HEADER.sub(rf"\1{REMOVED}", found)
    found = _IN_URL.sub(rf"\1{REMOVED}@", found)
    found = _BEARER.sub(rf"\1 {REMOVED}", found)
    for form in _FORMS:
        found = form.sub(REMOVED, found)
    found = _TOOL.sub(rf"\1{REMOVED}", found)
    found = _ASSIGNED.sub(_without, found)
    return _OPTION.sub(_without, found)


def _without(found: re.Match[str]) -> str:
    value = found["value"]
    if value.startswith(REMOVED[:-1]):
        return found[0]
    quote = value[0] if value[0] in "\"'" else ""
    return f"{found['name']}{quote}{REMOVED}{quote}"


def _is_secret(name: Any, value: Any) -> bool:
    return is_secret_name(str(name)) and not isinstance(value, bool) and value not in ("", None, [], {})


def json_value(given: Any) -> Any:
    """The same of decoded JSON: what stands under the name of a secret goes whole, other texts are scrubbed."""
    if isinstance(given, Mapping):
        return {name: REMOVED if _is_secret(name, value) else json_value(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [json_value(each) for each in given]
    return text(given) if isinstance(given, str) else given
