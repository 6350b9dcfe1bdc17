"""Events of ansible-runner as results: what is told, and what never is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from provisioning.software.plays.results import HIDDEN, MOST_TEXT, result_of, shortened, sum_of, without_secrets
from provisioning.software.words import Outcome


def event(kind: str = "runner_on_ok", res: Any = None, **data: Any) -> dict[str, Any]:
    return {
        "event": kind,
        "event_data": {"host": "gpu-1", "role": "docker", "task": "Docker runs", "res": res or {}, **data},
    }


def told(kind: str = "runner_on_ok", res: Any = None, **data: Any) -> tuple[str, str]:
    result = result_of(event(kind, res, **data))
    assert result is not None and (result.host, result.role, result.task) == ("gpu-1", "docker", "Docker runs")
    return result.outcome.value, result.text


def test_each_end_of_a_task_has_its_outcome() -> None:
    assert told() == ("ok", "")
    assert told(res={"changed": True, "msg": "installed"}) == ("changed", "installed")
    assert told("runner_on_failed", {"msg": "no such package"}) == ("failed", "no such package")
    assert told("runner_on_failed", {"msg": "nothing there"}, ignore_errors=True) == ("ok", "nothing there")
    assert told("runner_on_unreachable", {"msg": "timed out"}) == ("unreachable", "timed out")
    assert told("runner_on_skipped", {"skip_reason": "Conditional result was False"})[0] == "skipped"
    for other in ("runner_on_start", "runner_item_on_ok", "playbook_on_stats", "verbose"):
        assert result_of(event(other)) is None
    assert result_of({"event": "runner_on_ok"}) is None and result_of({}) is None


def test_a_failure_tells_what_the_program_the_items_and_the_modules_said() -> None:
    res = {
        "msg": "non-zero return code", "stderr": "E: held",
        "results": [{"failed": True, "msg": "item 2"}, {"msg": "x"}],
        "failed_modules": {"setup": {"failed": True, "msg": "no json", "module_stderr": "python3: not found"}},
    }  # fmt: skip
    assert told("runner_on_failed", res)[1].splitlines() == [
        "non-zero return code", "E: held", "item 2", "no json", "python3: not found",
    ]  # fmt: skip


def test_a_task_that_says_no_log_tells_nothing() -> None:
    assert told("runner_on_failed", {"censored": "the output has been hidden", "msg": "s3cret"})[1] == HIDDEN
    assert told(res={"_ansible_no_log": True, "stdout": "s3cret"})[1] == HIDDEN


def test_arguments_are_never_told() -> None:
    res = {"invocation": {"module_args": {"content": "s3cret"}}, "diff": {"after": "s3cret"}, "changed": True}
    assert "s3cret" not in str(result_of(event(res=res)))


def test_what_looks_like_a_secret_is_hidden() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nBBBB\n-----END OPENSSH PRIVATE KEY-----"
    said = without_secrets(
        f"using {key} at https://ada:s3cret@repo.example.org/x with password: s3cret, TOKEN=s3cret; "
        'api_key "s3cret" Authorization: Bearer s3cret'
    )
    assert "s3cret" not in said and "AAAA" not in said and "repo.example.org" in said
    assert "AAAA" not in without_secrets(key[:40] + "\nAAAA"), "one that breaks off"
    assert without_secrets("3 tasks on the machine") == "3 tasks on the machine"


@given(st.text(max_size=5000))
def test_a_text_is_never_longer_than_its_column_and_keeps_begin_and_end(text: str) -> None:
    short = shortened(text)
    assert len(short) <= MOST_TEXT and not set(short) & {"\x00", "\x1b", "\x07"}
    if len(text) <= MOST_TEXT and text.isprintable():
        assert short == text


def test_a_role_is_as_good_as_its_worst_task() -> None:
    assert sum_of([]) is Outcome.SKIPPED
    assert sum_of([Outcome.OK, Outcome.SKIPPED]) is Outcome.OK
    assert sum_of([Outcome.CHANGED, Outcome.OK]) is Outcome.CHANGED
    assert sum_of([Outcome.CHANGED, Outcome.FAILED, Outcome.OK]) is Outcome.FAILED
