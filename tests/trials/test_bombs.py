"""Files that are small on the wire and endless when read, thrown at the REST API of a real stack.

Each is refused with a reason, soon; no process grows beyond what an honest large file takes, and the service goes on.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest

from tests.trials.stack import Stack, until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(1800)]
GROWTH_MB = 400.0
"""An honest file of 32 MB costs a worker about half of this; a bomb of a gigabyte would cost more than twice."""
GIB = 2**30


def zipped(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return target.getvalue()


def deflated_gigabyte(before: bytes = b"", after: bytes = b"") -> tuple[bytes, int, int]:
    """A gigabyte of blanks between two texts as raw deflate, made piece by piece; with its checksum and size."""
    packer, check, size, pieces = zlib.compressobj(9, zlib.DEFLATED, -15), 0, 0, []
    blank = b" " * 2**20
    for piece in [before, *[blank] * (GIB // len(blank)), after]:
        check, size = zlib.crc32(piece, check), size + len(piece)
        pieces.append(packer.compress(piece))
    return b"".join([*pieces, packer.flush()]), check, size


def zip_bomb(name: str, before: bytes = b"", after: bytes = b"", others: bytes = b"") -> bytes:
    """An archive whose one member is a gigabyte, appended to the members of `others` by hand: zipfile is too slow."""
    packed, check, size = deflated_gigabyte(before, after)
    encoded = name.encode()
    entry = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, check, len(packed), size, len(encoded), 0)
    start, count, offset, directory = b"", 0, 0, b""
    if others:
        end = others.rindex(b"PK\5\6")
        count, length, offset = struct.unpack("<HII", others[end + 10 : end + 20])
        start, directory = others[:offset], others[offset : offset + length]
    local = b"PK\3\4" + entry + encoded + packed
    central = b"PK\1\2" + struct.pack("<H", 20) + entry + struct.pack("<HHHII", 0, 0, 0, 0, len(start)) + encoded
    directory += central
    tail = struct.pack("<HHHHIIH", 0, 0, count + 1, count + 1, len(directory), len(start) + len(local), 0)
    return start + local + directory + b"PK\5\6" + tail


def xlsx_bomb() -> bytes:
    """A workbook whose one sheet is a gigabyte of blanks within a cell."""
    kinds = b"application/vnd.openxmlformats-officedocument.spreadsheetml."
    package = b"http://schemas.openxmlformats.org/package/2006/"
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    others = {
        "[Content_Types].xml": b'<Types xmlns="' + package + b'content-types">'
        b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        b'<Override PartName="/xl/workbook.xml" ContentType="' + kinds + b'sheet.main+xml"/>'
        b'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="' + kinds + b'worksheet+xml"/></Types>',
        "_rels/.rels": b'<Relationships xmlns="' + package + b'relationships"><Relationship Id="rId1" Type="' + office
        + b'/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": b'<Relationships xmlns="' + package + b'relationships"><Relationship Id="rId1" '
        b'Type="' + office + b'/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/workbook.xml": b'<workbook xmlns="' + main + b'" xmlns:r="' + office + b'"><sheets>'
        b'<sheet name="racks" sheetId="1" r:id="rId1"/></sheets></workbook>',
    }  # fmt: skip
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in others.items():
            archive.writestr(name, content)
    before = b'<worksheet xmlns="' + main + b'"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>'
    after = b"</t></is></c></row></sheetData></worksheet>"
    return zip_bomb("xl/worksheets/sheet1.xml", before, after, target.getvalue())


def laughs() -> bytes:
    """Ten levels of ten references each: ten thousand million words when they are followed."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines).encode()


def deep() -> bytes:
    return b"[" * 200_000 + b"]" * 200_000


def picture_of(width: int, height: int) -> bytes:
    """A PNG that says it is so large; its data is as small as one line."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 3000)) + chunk(b"IEND", b"")
    )


IMPORTS: dict[str, Callable[[], tuple[str, str, bytes]]] = {
    "a sheet of a gigabyte": lambda: ("racks", "racks.xlsx", xlsx_bomb()),
    "a file of a gigabyte in an archive": lambda: ("all", "site.zip", zip_bomb("racks.csv", b"name,room\n")),
    "references to references": lambda: ("racks", "racks.yaml", laughs()),
    "lists in lists": lambda: ("racks", "racks.yaml", deep()),
    "lists in lists of JSON": lambda: ("racks", "racks.json", deep()),
    "a hundred thousand members": lambda: (
        "all", "site.zip", zipped(**{f"racks{n}_dot_csv": b"name\n" for n in range(60_000)}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("bomb", IMPORTS)
def test_an_import_that_explodes_is_refused_without_growing_anything(bomb: str, unprivileged: Stack) -> None:
    kind, name, content = IMPORTS[bomb]()
    assert len(content) < 32 * 2**20, "small enough to be let in"
    before = unprivileged.memory_mb()
    most = dict(before)

    def watch() -> None:
        for program, now in unprivileged.memory_mb().items():
            most[program] = max(most.get(program, 0.0), now)

    status, answer = unprivileged.upload("/api/imports/", name, content, kind=kind, site="north")
    watch()
    assert status in (201, 202, 400, 413, 415, 422), (status, answer)
    if status in (201, 202):
        job = int(answer["id"])

        def over() -> bool:
            watch()
            return unprivileged.call("GET", f"/api/imports/{job}/")[1]["status"] not in ("waiting", "queued", "running")

        until(over, 120, f"the end of the import of {bomb}")
        told = unprivileged.call("GET", f"/api/imports/{job}/")[1]
        assert told["status"] == "refused" and told["message"], told
    for program, peak in most.items():
        assert peak - before.get(program, peak) < GROWTH_MB, (program, before.get(program), peak)
    assert unprivileged.is_ready()
    assert set(before) <= set(unprivileged.programs()), "every program runs on"


@pytest.mark.parametrize("size", [(60_000, 60_000), (2**31 - 1, 2**31 - 1), (12_000, 12_000)])
def test_a_picture_that_says_it_is_huge_is_refused(size: tuple[int, int], unprivileged: Stack) -> None:
    rack = unprivileged.call("GET", "/api/racks/")[1]["results"][0]["id"]
    before = unprivileged.memory_mb()["web"]
    status, answer = unprivileged.upload("/api/attachments/", "huge.png", picture_of(*size), rack=str(rack))
    assert status in (400, 413, 422), (status, answer)
    assert unprivileged.memory_mb()["web"] - before < GROWTH_MB


@pytest.mark.parametrize("path", ["/api/contacts/", "/api/racks/", "/api/device-models/", "/api/reports/"])
def test_a_body_of_lists_in_lists_is_refused(path: str, unprivileged: Stack) -> None:
    headers = {"Authorization": f"Token {unprivileged.token}", "Content-Type": "application/json"}
    status, answer = unprivileged.send("POST", path, deep(), headers, 60)
    assert 400 <= status < 500, (status, answer)
    assert unprivileged.is_ready()
