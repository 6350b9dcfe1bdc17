"""Identities of generated fleets: the same file always gives the same serials, and no two parts share one.

Each identity is a hash of (seed, site, what, where) written in the form the maker prints. When two hashes meet, the
later one in the file is hashed again, so identities are unique within a site and, by the site's name in the hash,
practically between sites (loading refuses what is not).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from hashlib import blake2b

_TAG = "123456789BCDFGHJKLMNPQRSTVWXYZ"  # Dell service tags have no vowels and no 0
_ALNUM = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_YEAR = "23"
# Prefixes that the makers of adapters and of BMCs really have: with one alone, machines of several sites would meet.
_ADAPTERS = (0xB83FD2, 0x946DAE, 0xE8EBD3, 0xA088C2, 0x1070FD, 0x08C0EB, 0x0C42A1, 0x043F72)
_BMCS = (0xD08E79, 0xB07B25, 0x2CEA7F, 0x6C3C8C)


def _letters(number: int, count: int, alphabet: str) -> str:
    out = []
    for _ in range(count):
        number, at = divmod(number, len(alphabet))
        out.append(alphabet[at])
    return "".join(out)


def _week(number: int) -> str:
    return f"{number % 52 + 1:02}"


def service_tag(number: int) -> str:
    """Seven characters, such as 4GMPN72."""
    return _letters(number, 7, _TAG)


def gpu_serial(number: int) -> str:
    """Thirteen digits: 165, week, year, and a running number."""
    year = 22 + number // 52_000_000 % 3
    return f"165{_week(number)}{year}{number // 52 % 1_000_000:06}"


def mellanox_serial(number: int) -> str:
    """MT, year, week, and seven characters, such as MT2317X04K2P1."""
    return f"MT{_YEAR}{_week(number)}X{_letters(number // 52, 6, _ALNUM)}"


def nvme_serial(number: int) -> str:
    return f"S6CKNT0W{_letters(number, 6, _ALNUM)}"


def psu_serial(number: int) -> str:
    return f"CNLOD00{_YEAR}{_letters(number, 7, _ALNUM)}"


def dimm_serial(number: int) -> str:
    return f"802C0F{_YEAR}{_week(number)}{number // 52 % 2**32:08X}"


def generic_serial(number: int) -> str:
    return _letters(number, 12, _ALNUM)


def system_uuid(tag: str) -> str:
    """A Dell system UUID spells out its service tag: 4GMPN72 is 4c4c4544-0047-4d10-8050-b4c04f4e3732."""
    a, b, c, d, e, f, g = (ord(letter) for letter in tag)
    return f"4c4c4544-00{b:02x}-{c:02x}10-80{d:02x}-{a | 0x80:02x}c04f{e:02x}{f:02x}{g:02x}"


def gpu_uuid(number: int) -> str:
    digits = f"{number:032x}"
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"


def hca_guid(number: int) -> str:
    """Four GUIDs a card: the functions of one card count up from it."""
    prefix = _ADAPTERS[number // 2**22 % len(_ADAPTERS)]
    return f"0x{prefix:06x}0300{number % 2**22 * 4:06x}"


def switch_guid(number: int) -> str:
    """Sixty-four GUIDs a switch, of all that the maker's prefix leaves: several sites have to do with them."""
    return f"0xfc6a1c{number % 2**34 * 64:010x}"


def bmc_mac(number: int) -> str:
    return _mac(_BMCS[number // 2**24 % len(_BMCS)], number % 2**24)


def mac_of_guid(guid: str) -> str:
    """The MAC of an adapter's Ethernet port: its GUID without the middle."""
    value = int(guid, 16)
    return _mac(value >> 40, value & 0xFFFFFF)


def guid_plus(guid: str, number: int) -> str:
    return f"0x{int(guid, 16) + number:016x}"


def _mac(vendor: int, number: int) -> str:
    digits = f"{vendor:06x}{number:06x}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


PART_SERIALS: dict[str, Callable[[int], str]] = {
    "gpu": gpu_serial,
    "hca": mellanox_serial,
    "nvme": nvme_serial,
    "psu": psu_serial,
    "dimm": dimm_serial,
}


class Deriver:
    """Gives identities out, each once."""

    def __init__(self, seed: str, site: str) -> None:
        self._key = blake2b(f"{seed}/{site}".encode(), digest_size=32).digest()
        self._given: dict[Callable[[int], str], set[str]] = defaultdict(set)

    def take(self, form: Callable[[int], str], *where: str) -> str:
        """A fresh identity in this form for this place, such as `take(gpu_serial, "hgx-a17-03", "GPU 5")`."""
        given = self._given[form]
        text = "\0".join((form.__name__, *where))
        for attempt in range(1000):
            hashed = blake2b(f"{text}\0{attempt}".encode() if attempt else text.encode(), key=self._key, digest_size=16)
            identity = form(int.from_bytes(hashed.digest(), "big"))
            if identity not in given:
                given.add(identity)
                return identity
        raise RuntimeError(f"no free identity left of the form {form.__name__}")
