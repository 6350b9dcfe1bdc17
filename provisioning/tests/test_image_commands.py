"""What is sent to a machine for an image, what its answers mean, and how long it takes: pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks.parsers import ParseError
from health.diagnostics import jobs
from provisioning.images import arithmetic, commands
from provisioning.images.arithmetic import Links, estimates, laggards
from provisioning.images.commands import HELD, NOTED, USERS, Image, Seat, Unplaceable, image_of, seat_of, there
from provisioning.images.decisions import Came, Step, Task, came, script_of
from provisioning.waves.policy import Begin, MachineState, Over, Policy, Standing, Stop, next_rolling

DIGEST, OTHER = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
NAME = "registry.example:5000/team/torch:25.01"
TORCH = Image(NAME, DIGEST)
DOCKER, CONTAINERD = Seat("docker"), Seat("containerd", "k8s.io")
ENROOT = Seat("enroot", "/raid/images/team+torch+25.01.sqsh")
SEATS = [DOCKER, CONTAINERD, ENROOT]
DOCKER_ROW = f"registry.example:5000/team/torch|25.01|{DIGEST}|{OTHER}|21.7GB|2025-02-03 10:20:30 +0000 UTC\n"
CTR_HEAD = "REF TYPE DIGEST SIZE PLATFORMS LABELS\n"
CTR_ROW = f"{NAME} application/vnd.oci.image.manifest.v1+json {DIGEST} 20.2 GiB linux/amd64 -\n"
FILE_ROW = f"21700000000 1738578030.5 {ENROOT.place}\n"
LIES_THERE = {
    "docker": f"{HELD}\n{DOCKER_ROW}{USERS}\n",
    "containerd": f"{HELD}\n{CTR_HEAD}{CTR_ROW}{USERS}\nCONTAINER IMAGE RUNTIME\n",
    "enroot": f"{HELD}\n{FILE_ROW}{NOTED}\n{DIGEST} 21700000000\n{USERS}\nps -ww\n",
}
NOTHING_THERE = {
    "docker": f"{HELD}\n{USERS}\n",
    "containerd": f"{HELD}\n{CTR_HEAD}{USERS}\nCONTAINER IMAGE RUNTIME\n",
    "enroot": f"{HELD}\n{NOTED}\n{USERS}\n",
}


def task(seat: Seat = DOCKER, step: Step = "look", action: str = "place", **more: object) -> Task:
    return replace(Task(TORCH, seat, action, False, "7.8.1", step), **more)  # type: ignore[arg-type]


# ---- what is sent ----


@pytest.mark.parametrize(
    ("seat", "sent"),
    [
        (DOCKER, ["docker", "pull", f"registry.example:5000/team/torch@{DIGEST}"]),
        (CONTAINERD, ["ctr", "-n", "k8s.io", "images", "pull", "--hosts-dir", "/etc/containerd/certs.d",
                      f"registry.example:5000/team/torch@{DIGEST}"]),
        (ENROOT, ["enroot", "import", "--output", f"{ENROOT.place}.7.8.1.part",
                  f"docker://registry.example:5000#team/torch:{DIGEST}"]),
    ],
)  # fmt: skip
def test_an_image_is_pulled_by_its_digest_and_named_afterwards(seat: Seat, sent: list[str]) -> None:
    assert shlex.split(commands.place(TORCH, seat, "7.8.1")) == sent
    assert ":25.01" not in commands.place(TORCH, seat, "7.8.1"), "a tag that moves meanwhile changes nothing"
    with pytest.raises(Unplaceable, match="by its digest"):
        commands.place(Image(NAME), seat, "7.8.1")


@given(st.text(max_size=80))
def test_no_name_of_an_image_becomes_syntax_of_a_shell(text: str) -> None:
    """A hostile name is refused, or is one word of every command."""
    try:
        image = image_of(f"registry.example/{text}", DIGEST)
    except Unplaceable:
        return
    for seat in (DOCKER, CONTAINERD, seat_of("enroot", {"container_images": {"enroot": ["/raid"]}}, image)):
        placed = commands.place(image, seat, "1.2.3"), commands.settle(image, seat, "1.2.3")
        lines = [commands.look(image, seat), *placed, commands.remove(image, seat)]
        for line in lines:
            assert not set(";|`$\n") & set(line.replace(commands.DOCKER_ROW, "")), line
            shlex.split(line)


@pytest.mark.parametrize(
    ("text", "digest", "why"),
    [
        ("", "", "no name"), ("$(reboot)", "", "no name"), ("torch; reboot", "", "no name"),
        ("torch", "sha256:1", "64"),
        (f"torch@{DIGEST}", OTHER, "two digests"), (f"registry.example/{'x' * 300}", "", "no name"),
    ],
)  # fmt: skip
def test_what_is_no_image_is_refused_with_the_reason(text: str, digest: str, why: str) -> None:
    with pytest.raises(Unplaceable, match=why):
        image_of(text, digest)


def test_a_name_has_a_digest_in_it_or_beside_it() -> None:
    assert image_of(f"registry.example#team/torch:25.01@{DIGEST}") == Image("registry.example/team/torch:25.01", DIGEST)
    assert image_of("torch", f" {DIGEST} ") == Image("docker.io/library/torch:latest", DIGEST)


def test_the_device_model_says_where_an_image_lies() -> None:
    expected = {"docker": {}, "container_images": {"containerd": "k8s.io", "enroot": ["/raid/images/", "/home/images"]}}
    assert seat_of("containerd", expected, TORCH) == CONTAINERD
    assert seat_of("enroot", expected, TORCH) == ENROOT
    assert seat_of("enroot", expected, Image("/home/images/x.sqsh")).place == "/home/images/x.sqsh"
    for engine, model, image, why in (
        ("docker", {}, TORCH, "no Docker"), ("containerd", {}, TORCH, "namespace"), ("enroot", {}, TORCH, "folder"),
        ("enroot", expected, Image("/etc/passwd"), "no image file"),
        ("enroot", expected, Image("/raid/images/../../etc/x.sqsh"), "no image file"),
    ):  # fmt: skip
        with pytest.raises(Unplaceable, match=why):
            seat_of(engine, model, image)


# ---- what comes back ----


@pytest.mark.parametrize("seat", SEATS, ids=lambda seat: seat.engine)
def test_what_lies_there_is_known_by_its_digest(seat: Seat) -> None:
    found = there(LIES_THERE[seat.engine], TORCH, seat)
    assert commands.is_placed(TORCH, found) and not found.users and found.size_bytes
    assert not commands.is_placed(Image(NAME, f"sha256:{'c' * 64}"), found)
    assert not there(NOTHING_THERE[seat.engine], TORCH, seat).identities
    with pytest.raises(ParseError):
        there(LIES_THERE[seat.engine].partition(USERS)[0], TORCH, seat)


def test_a_file_that_somebody_replaced_is_not_what_its_note_says() -> None:
    text = LIES_THERE["enroot"].replace("21700000000 1738", "999 1738")
    assert there(text, TORCH, ENROOT).identities == {"999 bytes"}


@pytest.mark.parametrize(
    ("seat", "users", "said"),
    [
        (DOCKER, "train running\nold exited\n", "container train, container old"),
        (CONTAINERD, f"CONTAINER IMAGE RUNTIME\npod-1 {NAME} io.containerd.runc.v2\n", "container pod-1"),
        (ENROOT, f"enroot start {ENROOT.place} python\nbash\n", f"process enroot start {ENROOT.place} python"),
    ],
)
def test_an_image_in_use_is_not_removed_and_says_by_what(seat: Seat, users: str, said: str) -> None:
    text = LIES_THERE[seat.engine].partition(f"{USERS}\n")[0] + f"{USERS}\n{users}"
    found = came(task(seat, action="remove"), 0, text, "")
    assert (found.state, found.message) == (MachineState.REFUSED, f"in use by {said}")


LOST = f"{jobs.MARK} lost the machine was rebooted\n"
DONE, BAD = f"{jobs.MARK} done 0\n\n{jobs.MARK} errors\n", f"{jobs.MARK} done 1\n\n{jobs.MARK} errors\nno space left\n"
OK, FAILED, REFUSED = MachineState.OK, MachineState.FAILED, MachineState.REFUSED


@pytest.mark.parametrize(
    ("asked", "status", "text", "expected"),
    [
        (task(), 0, NOTHING_THERE["docker"], Came(step="pull")),
        (task(), 0, LIES_THERE["docker"], Came(state=OK, message="was there already", identity=DIGEST)),
        (task(dry_run=True), 0, NOTHING_THERE["docker"], Came(state=OK, message="would be pulled")),
        (task(step="pull"), 0, f"{jobs.MARK} known\n", Came(begun=True)),
        (task(step="pull"), 1, "no space", Came(state=FAILED, message="the pull did not begin: no space")),
        (task(step="follow"), 0, f"{jobs.MARK} running\n", Came()),
        (task(step="follow"), 0, DONE, Came(step="settle")),
        (task(step="follow"), 0, BAD, Came(state=FAILED, message="exit status 1: no space left")),
        (task(step="follow"), 0, LOST, Came(state=FAILED, message="the pull is gone: the machine was rebooted")),
        (task(step="follow"), 0, "garbage", Came(silent=True, message="its answer has another shape: garbage")),
        (task(step="settle"), 0, "", Came(step="check")),
        (task(step="check"), 0, LIES_THERE["docker"], Came(state=OK, identity=DIGEST)),
        (task(step="check"), 0, NOTHING_THERE["docker"],
         Came(state=FAILED, message="pulled, but nothing lies there under the name")),
        (task(action="remove"), 0, LIES_THERE["docker"], Came(step="remove")),
        (task(action="remove"), 0, NOTHING_THERE["docker"], Came(state=OK, message="is not there")),
        (task(action="remove", dry_run=True), 0, LIES_THERE["docker"], Came(state=OK, message="would be removed")),
        (task(action="remove", image=Image(NAME, f"sha256:{'c' * 64}")), 0, LIES_THERE["docker"],
         Came(state=REFUSED, message="another image lies there under this name")),
        (task(step="check", action="remove"), 0, LIES_THERE["docker"],
         Came(state=FAILED, message="removed, but it lies there still")),
    ],
)  # fmt: skip
def test_each_answer_leads_to_one_next_step(asked: Task, status: int, text: str, expected: Came) -> None:
    assert came(asked, status, text, "") == expected


@pytest.mark.parametrize("action", ["place", "remove"])
@pytest.mark.parametrize(("status", "text"), [(1, "Cannot connect to the Docker daemon"), (0, "cut off"), (None, "")])
def test_nothing_is_done_where_it_is_not_known_what_lies_there(action: str, status: int | None, text: str) -> None:
    found = came(task(action=action), status, text, "")
    assert found.state is FAILED and found.step is None and "not known" in found.message


def test_scripts_of_jobs_name_their_machine_and_attempt() -> None:
    assert script_of(task(step="pull")).startswith(f"# {jobs.MARK} start 7.8.1\n")
    assert f"timeout -k 30 7200 docker pull registry.example:5000/team/torch@{DIGEST} >out" in script_of(
        task(step="pull")
    )
    assert "rm -f -- /raid/images/team+torch+25.01.sqsh.7.8.1.part" in script_of(task(ENROOT, "stop"))


# ---- who begins ----

POLICY = Policy(canary=1, limit=4, stop_share=0.5)


def rows(*states: str, rack: Callable[[int], str] = lambda n: f"rack:{n % 2}") -> list[Standing]:
    return [
        Standing(n, MachineState(state), None if state == "waiting" else 1 + (n > 0), groups=(rack(n), "registry:r"))
        for n, state in enumerate(states)
    ]


def test_a_canary_goes_alone_and_then_as_many_as_there_is_room_for() -> None:
    assert next_rolling(rows(*["waiting"] * 6), POLICY, {}, {}) == Begin(1, (0,))
    assert next_rolling(rows("running", *["waiting"] * 5), POLICY, {}, {}) is None, "nobody before it is good"
    assert next_rolling(rows("ok", *["waiting"] * 6), POLICY, {}, {}) == Begin(2, (1, 2, 3, 4))
    assert next_rolling(rows("ok", "running", "running", "waiting"), POLICY, {}, {}) == Begin(3, (3,)), (
        "a slow one waits"
    )
    assert next_rolling(rows("ok", "ok"), POLICY, {}, {}) == Over()
    assert next_rolling(rows("ok", "running"), POLICY, {}, {}) is None


def test_a_limit_of_a_rack_or_registry_holds_over_all_runs() -> None:
    waits = rows("ok", *["waiting"] * 6)
    assert next_rolling(waits, POLICY, {}, {"rack:1": 1}) == Begin(2, (1, 2, 4, 6))
    assert next_rolling(waits, POLICY, {"rack:1": 1}, {"rack:1": 1}) == Begin(2, (2, 4, 6))
    assert next_rolling(waits, POLICY, {"registry:r": 9}, {"registry:r": 10}) == Begin(2, (1,))
    assert next_rolling(waits, POLICY, {"registry:r": 9}, {"registry:r": 9}) is None


def test_failures_end_it() -> None:
    assert next_rolling(rows("failed", "waiting"), POLICY, {}, {}) == Stop("the canary failed")
    stopped = next_rolling(rows("ok", "failed", "failed", "waiting"), POLICY, {}, {})
    assert isinstance(stopped, Stop) and "2 of 3 machines failed" in stopped.reason


# ---- how long it takes ----


def test_thirty_gigabytes_on_five_hundred_machines() -> None:
    found = {each.way: each for each in estimates(30_000_000_000, 500, Links(4, 100, 100), caches=16)}
    registry, caches, peers = (found[way] for way in ("registry", "caches", "peers"))
    assert registry.seconds == pytest.approx(300) and registry.bound == "uplinks", "15 TB over 400 Gbit/s"
    assert registry.over_uplinks_bytes == 15_000_000_000_000
    assert caches.seconds == pytest.approx(32 * 2.4) and caches.bound == "cache", "32 machines behind each of 16"
    assert caches.over_uplinks_bytes == 480_000_000_000
    assert peers.seconds == pytest.approx(2.4) and peers.bound == "machine"


@given(st.integers(1, 10**12), st.integers(1, 6000), st.integers(1, 64), st.integers(0, 100))
def test_peers_and_caches_never_load_the_uplinks_more_than_the_registry_alone(
    size: int, machines: int, uplinks: int, caches: int
) -> None:
    found = {each.way: each for each in estimates(size, machines, Links(uplinks), caches=caches)}
    assert found["peers"].seconds <= found["registry"].seconds + 1e-9
    assert all(each.over_uplinks_bytes <= size * machines for each in found.values())
    assert min(each.seconds for each in found.values()) >= size * 8 / 1e11 * (1 - 1e-9)


@pytest.mark.parametrize("bad", [(1, 0, Links()), (-1, 1, Links()), (1, 1, Links(0)), (1, 1, Links(1, 0))])
def test_an_estimate_of_nothing_is_refused(bad: tuple[int, int, Links]) -> None:
    with pytest.raises(ValueError, match="needs machines"):
        estimates(*bad)


@pytest.mark.parametrize(
    ("running", "done", "late"),
    [({1: 100.0}, [10, 10], []), ({1: 100.0, 2: 29.0, 3: 200.0}, [10, 10, 10], [3, 1]), ({1: 2.0}, [0.1] * 5, [])],
)
def test_who_takes_three_times_as_long_as_the_others_is_named(
    running: dict[int, float], done: Sequence[float], late: list[int]
) -> None:
    assert laggards(running, done) == late and arithmetic.FEWEST == 3


def test_enroot_asks_the_host_that_answers_for_docker_hub_and_takes_what_its_own_source_matches() -> None:
    """`reg_user`, `reg_image` and `reg_tag` of Enroot's docker.sh, and the name that it gives a file by itself."""
    hub = Image("docker.io/library/torch:2.5", DIGEST)
    whole = commands.enroot_import(hub, ENROOT, "1.2.3", "$oauthtoken")[-1]
    user = r"[A-Za-z0-9_.!~*'()%;:&=+$,\-@]+"
    found = re.fullmatch(rf"docker://(({user})@)?(([^#]+)#)?([a-z0-9/._-]+)(:([A-Za-z0-9._:-]+))?", whole)
    assert found is not None, whole
    assert found[2] == "$oauthtoken" and found[4] == "registry-1.docker.io"
    assert (found[5], found[7]) == ("library/torch", DIGEST)
    assert hub.file_name == f"{found[5].replace('/', '+')}+2.5.sqsh"
