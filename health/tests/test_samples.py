"""The history of looks: packed small, and read back as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from health.monitoring import samples

VALUES = st.none() | st.floats(-1e30, 1e30) | st.integers(-(2**60), 2**60)
PLACES = st.lists(st.tuples(st.integers(0, 4), VALUES), max_size=60)


@given(PLACES)
def test_a_look_reads_back_with_every_verdict_and_value(places: list[tuple[int, float | None]]) -> None:
    codes, values = bytes(code for code, _ in places), [value for _, value in places]
    packed = samples.pack(codes, values)
    assert samples.codes(packed, len(codes)) == codes
    back = samples.values(packed, len(codes))
    assert [value is None for value in back] == [value is None for value in values]
    for before, after in zip(values, back, strict=True):
        if before is not None and after is not None:
            assert abs(after - before) <= abs(before) * 1e-6


def test_a_row_of_before_is_read_as_its_codes() -> None:
    assert samples.codes(bytes([0, 4, 3]), 3) == bytes([0, 4, 3])
    assert samples.values(bytes([0, 4, 3]), 3) == [None, None, None]


def test_a_look_at_a_whole_machine_takes_less_than_an_eighth_of_what_it_says() -> None:
    values = [None if place % 4 else float(place * 37 % 90 if place > 300 else 0) for place in range(432)]
    assert len(samples.pack(bytes(432), values)) < (432 + 4 * 432 / 4) / 8
