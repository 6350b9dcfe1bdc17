"""Charts of the weekly report, as drawings that ReportLab sets. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.graphics.charts.barcharts import VerticalBarChart
from reportlab.graphics.charts.legends import Legend
from reportlab.graphics.charts.linecharts import HorizontalLineChart
from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color, HexColor

from tickets.insights.answers import Week

WIDTH, HEIGHT = 500, 150
LEFT, BOTTOM, TOP = 44, 24, 26
COLOURS: tuple[Color, ...] = (HexColor(0x2F6FDE), HexColor(0xC2571A))
GREY = HexColor(0x8A94A3)
HOUR_S = 3600.0


def times(weeks: Sequence[Week], labels: Sequence[str], measure: str) -> Drawing | None:
    """Median and 90th percentile in hours, week by week; a week with too little data has no point. None without any."""
    spreads = [week.times[measure] for week in weeks]
    lines = [
        [None if each.median is None else each.median / HOUR_S for each in spreads],
        [None if each.p90 is None else each.p90 / HOUR_S for each in spreads],
    ]
    if not any(value is not None for line in lines for value in line):
        return None
    chart = HorizontalLineChart()
    chart.data = lines
    for n, colour in enumerate(COLOURS):
        chart.lines[n].strokeColor = colour
        chart.lines[n].strokeWidth = 1.6
    chart.lines[1].strokeDashArray = (4, 2)
    return _drawing(chart, labels, ("median, hours", "90th percentile"))


def bars(labels: Sequence[str], rows: Sequence[Sequence[float]], names: Sequence[str], *, stacked: bool) -> Drawing:
    chart = VerticalBarChart()
    chart.data = [list(row) for row in rows]
    chart.categoryAxis.style = "stacked" if stacked else "parallel"
    chart.barWidth, chart.groupSpacing = 8, 6
    for n in range(len(rows)):
        chart.bars[n].fillColor = COLOURS[n % len(COLOURS)]
        chart.bars[n].strokeColor = None
    return _drawing(chart, labels, names)


def _drawing(chart: HorizontalLineChart | VerticalBarChart, labels: Sequence[str], names: Sequence[str]) -> Drawing:
    chart.x, chart.y = LEFT, BOTTOM
    chart.width, chart.height = WIDTH - LEFT - 6, HEIGHT - BOTTOM - TOP
    chart.categoryAxis.categoryNames = list(labels)
    chart.categoryAxis.labels.fontSize = chart.valueAxis.labels.fontSize = 7
    chart.valueAxis.valueMin = 0
    chart.valueAxis.visibleGrid = True
    chart.valueAxis.gridStrokeColor = HexColor(0xDDE1E7)
    chart.valueAxis.strokeColor = chart.categoryAxis.strokeColor = GREY
    legend = Legend()
    legend.x, legend.y, legend.fontSize = LEFT, HEIGHT - 2, 8
    legend.boxAnchor, legend.alignment, legend.columnMaximum, legend.deltax = "nw", "right", 1, 110
    legend.strokeWidth = 0
    legend.colorNamePairs = list(zip(COLOURS, names, strict=False))
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.add(chart)
    drawing.add(legend)
    return drawing
