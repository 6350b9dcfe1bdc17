"""How far a pull is, from what Docker, containerd and Enroot print or keep."""

from __future__ import annotations

import pytest

from provisioning.images.progress import LAYERS, Pace, Pulled, ask, pace, pulled

A, B, C = (f"sha256:{letter * 64}" for letter in "abc")
SIZES = {A: 1000, B: 300, C: 50}


@pytest.mark.parametrize(
    ("lines", "far"),
    [
        ([], None),
        ([f"{'a' * 12}: Pulling fs layer", f"{'b' * 12}: Waiting"], Pulled(0, 1350)),
        ([f"{'a' * 12}: Pulling fs layer", f"{'a' * 12}: Download complete"], Pulled(1000, 1350)),
        ([f"{'a' * 12}: Already exists", f"{'b' * 12}: Pull complete"], Pulled(300, 350)),
        ([f"{'d' * 12}: Pull complete", "Digest: sha256:1"], None),
    ],
)
def test_docker_tells_whole_layers_and_one_that_was_there_is_not_fetched(lines: list[str], far: Pulled | None) -> None:
    said = "\n".join([f"registry.example/team/torch@{A}: Pulling from team/torch", *lines])
    assert pulled("docker", said, SIZES) == far


def test_containerd_tells_the_bytes_of_each_layer_and_the_last_table_counts() -> None:
    first = f"layer-{A}:    downloading    |--------| 0.0 B/1000.0 B\r\nlayer-{B}:    waiting        |--------|\r\n"
    up = "\x1b[1A\x1b[1A\x1b[J"
    last = (
        f"layer-{A}:    downloading    |++++----| 512.0 B/1000.0 B\nlayer-{B}:    done           |++++++++|\n"
        f"layer-{C}:    exists         |++++++++|\nelapsed: 0.4 s  total:   0.0 B (0.0 B/s)\n"
    )
    assert pulled("containerd", first, SIZES) == Pulled(0, 1350)
    assert pulled("containerd", first + up + last, SIZES) == Pulled(812, 1300)
    assert pulled("containerd", f"layer-{A}: downloading |+--| 1.5 MiB/3.0 MiB\n", {A: 3 << 20}) == Pulled(
        3 << 19, 3 << 20
    )
    assert pulled("containerd", "ctr: failed to resolve reference", SIZES) is None


def test_enroot_keeps_its_layers_by_digest_and_before_it_downloads_nothing_is_known() -> None:
    files = f"{'a' * 64}\n{'b' * 64}.gq3JXVyVHh\n.tokens.0\n"
    assert pulled("enroot", f"[INFO] Fetching image manifest\n{LAYERS}\n{files}", SIZES) is None
    assert pulled("enroot", f"[INFO] Downloading 3 missing layers...\n{LAYERS}\n{files}", SIZES) == Pulled(1000, 1350)
    assert pulled("enroot", "[INFO] Downloading 3 missing layers...\n", SIZES) is None, "its cache was not read"


@pytest.mark.parametrize("engine", ["docker", "containerd", "enroot"])
def test_without_sizes_or_words_nothing_is_known(engine: str) -> None:
    assert pulled(engine, "x", SIZES) is None and pulled(engine, f"{'a' * 12}: Pull complete", {}) is None
    assert "\n" not in ask(engine)


@pytest.mark.parametrize(
    ("come", "of", "seconds", "found"),
    [
        (None, None, 5, Pace()), (0, 100, 5, Pace()), (50, 100, 0, Pace()),
        (50, 150, 5, Pace(10, 10)), (150, 150, 5, Pace(30, 0)),
    ],
)  # fmt: skip
def test_rate_and_time_left(come: int | None, of: int | None, seconds: float, found: Pace) -> None:
    assert pace(come, of, seconds) == found
