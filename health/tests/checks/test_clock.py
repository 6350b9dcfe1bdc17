"""The clock by any of the three services that may keep it."""

from __future__ import annotations

import pytest

from health.checks.parsers import ParseError
from health.checks.parsers.services import Clock, parse_ntpq, parse_timedatectl
from health.checks.probes.script import TIME_SERVICES, probe_commands
from health.checks.sources import identify
from health.checks.verdicts import Verdict
from health.tests.checks.samples import MODEL, judged, only

NTPQ = """     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
*10.0.0.1        192.0.2.7        2 u   33   64  377    0.212   {offset}   0.011
+10.0.0.2        192.0.2.8        2 u   40   64  377    0.318    0.402   0.020
"""
TIMESYNC = """       Server: 10.0.0.1 (ntp.example)
Poll interval: 34min 8s (min: 32s; max 34min 8s)
         Leap: normal
      Version: 4
      Stratum: 2
    Reference: C0000207
    Precision: 1us (-25)
Root distance: 1.342ms (max: 5s)
       Offset: {offset}
        Delay: 212us
       Jitter: 31us
 Packet count: 41
    Frequency: -12.456ppm
"""


def verdict(command: str, text: str) -> tuple[Verdict, float | None]:
    (found,) = only(judged({command: text}), "clock.offset")
    return found.verdict, found.value


@pytest.mark.parametrize(
    ("offset", "expected"), [("-0.021", Verdict.OK), ("-80.5", Verdict.WARN), ("612.9", Verdict.FAIL)]
)
def test_ntpd_tells_the_offset_of_the_source_it_follows_in_milliseconds(offset: str, expected: Verdict) -> None:
    assert verdict("ntpq -pn", NTPQ.format(offset=offset)) == (expected, -float(offset) / 1000)


def test_ntpd_that_follows_nobody_leaves_the_clock_alone() -> None:
    assert parse_ntpq(NTPQ.format(offset="0.1").replace("*10", " 10")) == Clock(None, synchronised=False)
    assert verdict("ntpq -pn", NTPQ.format(offset="0.1").replace("*10", " 10"))[0] is Verdict.WARN


@pytest.mark.parametrize(("offset", "ahead"), [("+1.5ms", -0.0015), ("-750us", 0.00075), ("-2s", 2.0)])
def test_timesyncd_tells_its_offset_in_several_units(offset: str, ahead: float) -> None:
    found = parse_timedatectl(TIMESYNC.format(offset=offset))
    assert found.synchronised and found.offset_s == pytest.approx(ahead)


def test_timesyncd_without_an_answer_is_not_in_step() -> None:
    text = TIMESYNC.format(offset="+1ms").replace("       Offset: +1ms\n", "").replace("count: 41", "count: 0")
    assert parse_timedatectl(text) == Clock(None, synchronised=False)


@pytest.mark.parametrize("text", ["NTP=yes\nNTPSynchronized=yes\n", "System clock synchronized: yes\n"])
def test_a_clock_of_which_only_the_step_is_told_is_not_called_exact(text: str) -> None:
    assert verdict("timedatectl show", text)[0] is Verdict.INFO
    assert verdict("timedatectl show", text.replace("yes\n", "no\n"))[0] is Verdict.WARN


@pytest.mark.parametrize("parse", [parse_ntpq, parse_timedatectl])
def test_what_is_no_answer_is_refused(parse: object) -> None:
    for text in ("", "ntpq: read: Connection refused", "bash: command not found"):
        with pytest.raises(ParseError):
            parse(text)  # type: ignore[operator]


def test_the_probe_asks_the_service_that_the_model_names() -> None:
    for service, command in TIME_SERVICES.items():
        model = MODEL.model_copy(update={"expected": {"time_service": service}})
        assert command in [each for _, each in probe_commands(model)]
        tool = identify(command)
        assert tool and tool.reading == "clock"
