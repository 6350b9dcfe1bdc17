"""The whole stack without root, and what a folder that cannot be written does to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from config.embedded.instance import free_port
from config.embedded.programs.supervisor import leftovers
from tests.trials.conftest import as_nobody_special, folder_of_theirs
from tests.trials.stack import Stack, until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.timeout(1800)]
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63f80f00010101005f35ad3c"
    "0000000049454e44ae426082"
)


def test_no_process_of_the_stack_is_roots_and_all_of_it_works(unprivileged: Stack) -> None:
    assert unprivileged.is_ready()
    owners = {pid: os.stat(f"/proc/{pid}").st_uid for pid in leftovers(unprivileged.folder)}
    assert len(owners) > 12 and 0 not in {uid for uid in owners.values() if os.geteuid() == 0}
    assert {"postgres", "valkey", "web", "relay", "beat", "worker-checks"} <= set(unprivileged.programs())
    made, contact = unprivileged.call("POST", "/api/contacts/", {"site": site_id(unprivileged), "name": "first"})
    assert made == 201, contact
    assert unprivileged.call("GET", f"/api/contacts/{contact['id']}/")[0] == 200


def test_a_data_folder_that_cannot_be_written_is_refused_with_a_reason(tmp_path: Path) -> None:
    place = folder_of_theirs(tmp_path / "closed")
    place.chmod(0o555)
    stack = Stack(place / "site", "run", port=free_port("127.0.0.1", 18350), prefix=as_nobody_special())
    said = stack.rackside(*stack.command, check=False)
    assert "Cannot write to" in said and "Traceback" not in said, said
    assert list(place.iterdir()) == []


def test_files_that_cannot_be_written_are_refused_and_nothing_else_suffers(unprivileged: Stack) -> None:
    """As when a disk is mounted read-only after an error: the database lies elsewhere and goes on."""
    assert unprivileged.call("POST", "/api/contacts/", {"site": site_id(unprivileged), "name": "before"})[0] == 201
    files = unprivileged.folder.files
    inside = [files, *(path for path in files.rglob("*") if path.is_dir())]
    modes = {folder: folder.stat().st_mode for folder in inside}
    try:
        for folder in inside:
            folder.chmod(0o500)
        status, answer = attach(unprivileged)
        assert status in (500, 503, 507), (status, answer)
        assert b"Traceback" not in str(answer).encode()
        assert (
            unprivileged.call("POST", "/api/contacts/", {"site": site_id(unprivileged), "name": "meanwhile"})[0] == 201
        )
        assert unprivileged.is_ready()
        assert unprivileged.call("GET", "/api/attachments/")[1]["count"] == 0, "no row without its file"
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
    until(lambda: attach(unprivileged)[0] == 201, 10, "files to be taken again")


def site_id(stack: Stack) -> int:
    return int(stack.call("GET", "/api/sites/")[1]["results"][0]["id"])


def attach(stack: Stack) -> tuple[int, object]:
    """A photo for the first rack."""
    rack = stack.call("GET", "/api/racks/")[1]["results"][0]["id"]
    return stack.upload("/api/attachments/", "photo.png", PIXEL, rack=str(rack))
