"""A data folder that was copied or moved: it opens its own database, and what runs in it starts paused."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded import data_folder
from config.embedded.data_folder import DataFolder
from config.embedded.home import home
from config.embedded.progress import LaunchError
from tests.launcher.conftest import Running

Start = Callable[..., Running]


def folder_at(path: Path) -> DataFolder:
    folder = DataFolder(path)
    folder.create()
    (path / "postgres").mkdir(exist_ok=True)
    return folder


def test_a_place_inside_follows_the_folder_when_it_is_moved(tmp_path: Path) -> None:
    folder_at(tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")
    assert DataFolder(tmp_path / "new").postgres == tmp_path / "new" / "postgres"


@pytest.mark.parametrize("recorded", ["with its folder", "as older versions did"])
def test_a_copied_folder_opens_its_own_database_and_not_the_original(recorded: str, tmp_path: Path) -> None:
    original = folder_at(tmp_path / "original")
    if recorded == "as older versions did":
        original.write_record("place", {"open_place": str(original.path)})
    shutil.copytree(original.path, tmp_path / "copy")
    copy = DataFolder(tmp_path / "copy")
    assert copy.postgres == tmp_path / "copy" / "postgres"
    copy.create()
    assert copy.sockets != original.sockets
    assert json.loads((copy.path / "place.json").read_text())["open_place"] == str(copy.path)


def test_a_copy_of_a_folder_whose_database_is_outside_is_refused_and_a_moved_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_folder, "OUTSIDE", tmp_path / "outside")
    original = DataFolder(tmp_path / "original")
    place = tmp_path / "outside" / original.digest
    original.path.mkdir()
    (original.path / data_folder.MARKER).touch()
    original.write_record("place", {"open_place": str(place), "folder": str(original.path)})
    place.mkdir(parents=True)
    original.create()
    assert original.open_place == place
    shutil.copytree(original.path, tmp_path / "copy")
    with pytest.raises(LaunchError, match=f"belongs to {original.path}, not to {tmp_path / 'copy'}"):
        DataFolder(tmp_path / "copy").create()
    shutil.rmtree(tmp_path / "copy")
    original.path.rename(tmp_path / "moved")
    assert DataFolder(tmp_path / "moved").open_place == place
    shutil.rmtree(place)
    with pytest.raises(LaunchError, match=r"is not in .* any more"):
        DataFolder(tmp_path / "moved").create()


def test_a_place_that_belongs_to_nobody_known_is_refused(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.create()
    (tmp_path / "elsewhere").mkdir()
    folder.write_record("place", {"open_place": str(tmp_path / "elsewhere")})
    with pytest.raises(LaunchError, match="belongs to another data folder"):
        _ = folder.open_place


def test_home_names_host_and_folder_and_differs_for_a_copy(tmp_path: Path) -> None:
    assert home(tmp_path) == home(tmp_path)
    assert home(tmp_path) != home(tmp_path / "copy")
    assert f"{os.uname().nodename}:{tmp_path} (" in home(tmp_path)


@pytest.mark.slow
@pytest.mark.services
def test_a_copy_beside_the_original_has_rows_of_its_own(start: Start) -> None:
    original = start("original").wait_ready()
    original.insert(1)
    assert original.interrupt() == 130
    shutil.copytree(original.data, original.data.with_name("copy"))
    copied = original.data.with_name("copy")
    for path in (copied / "postgres", *(copied / "postgres").rglob("*")):  # copytree keeps no owner
        info = (original.data / path.relative_to(copied)).stat()
        os.chown(path, info.st_uid, info.st_gid)
    original, copy = start("original").wait_ready(), start("copy").wait_ready()
    copy.insert(2)
    assert copy.rows() == [1, 2]
    assert original.rows() == [1]
