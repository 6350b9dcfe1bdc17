"""Results of ib_write_bw and ib_write_lat are read by their heads; without a result a run has failed.

The outputs are written after the layout that perftest 6 prints; numbers and addresses are made up.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from health.checks.parsers.perftest import PerftestError, read_bandwidth, read_latency

LINE = "-" * 87
TOP = f"""
{LINE}
                    RDMA_Write Bidirectional BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_3
 Number of qps   : 1\t\tTransport type : IB
 Link type       : IB
{LINE}
 local address: LID 0x2d QPN 0x0127 PSN 0x5a1c3f RKey 0x1800bd VAddr 0x007f2d5c000000
 remote address: LID 0x51 QPN 0x0127 PSN 0x9b02aa RKey 0x1800be VAddr 0x007fe11a000000
{LINE}
"""
HEAD = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
BY_COUNT = TOP + HEAD + f" 65536      5000             771.42             769.88             1.468429\n{LINE}\n"
BY_TIME = (
    TOP + HEAD + "Conflicting CPU frequency values detected: 800.000000 != 3500.000000. CPU Frequency is not max.\n"
    f" 65536      5629872          0.00               737.91             1.407453\n{LINE}\n"
)
MBYTES = TOP.replace("Bidirectional ", "") + (
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    " 65536      5000             46900.11           46875.00            0.750000\n"
)
ALL_SIZES = (
    TOP
    + HEAD
    + (
        " 2          5000             0.21               0.20               12.5\n"
        " 8388608    5000             768.10             766.02             0.011415\n"
    )
)
LATENCY = f"""{LINE}
                    RDMA_Write Latency Test
{LINE}
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       5000          2.61           9.87         2.68     \t       2.70        \t0.11   \t\t3.05    \t\t6.40
{LINE}
"""  # noqa: E501
LATENCY_BY_TIME = " #bytes        #iterations       t_avg[usec]    tps average\n 2             1845120           2.71           184512\n"  # noqa: E501
REFUSED = "Couldn't connect to 10.0.0.7:18518\nUnable to open file descriptor for socket connection Unable to init the socket connection\n"  # noqa: E501


def test_a_run_by_count() -> None:
    told = read_bandwidth(BY_COUNT)
    assert (told.average_gbps, told.bytes, told.iterations) == (769.88, 65_536, 5000)
    assert told.bidirectional


def test_remarks_between_head_and_row_do_no_harm() -> None:
    assert read_bandwidth(BY_TIME).average_gbps == 737.91


def test_mebibytes_are_turned_into_gigabits() -> None:
    told = read_bandwidth(MBYTES)
    assert told.average_gbps == pytest.approx(46_875 * 8 * 2**20 / 1e9) and not told.bidirectional


def test_of_all_sizes_the_largest_counts() -> None:
    assert read_bandwidth(ALL_SIZES).average_gbps == 766.02


def test_latency_with_and_without_percentiles() -> None:
    assert read_latency(LATENCY).p99_us == 3.05
    assert read_latency(LATENCY_BY_TIME).p99_us is None


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no output"), (REFUSED, "Couldn't connect"), (TOP, "breaks off"), (TOP + HEAD, "breaks off"),
     (BY_COUNT[: BY_COUNT.index("769.88")], "breaks off"),
     (BY_COUNT.replace("Gb/sec", "furlong"), "unit furlong"), (LATENCY, "not that of a bandwidth"),
     ("mlx5_3: no such device\nIB device mlx5_3 not found\n", "not found")],
)  # fmt: skip
def test_a_run_without_a_result_says_why(text: str, why: str) -> None:
    with pytest.raises(PerftestError, match=why):
        read_bandwidth(text)


@pytest.mark.parametrize("cut", range(0, len(BY_TIME), 37))
def test_an_output_cut_anywhere_gives_the_result_or_an_error_never_another_number(cut: int) -> None:
    with suppress(PerftestError):
        assert read_bandwidth(BY_TIME[:cut]).average_gbps == 737.91
