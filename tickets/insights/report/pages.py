"""The weekly report as PDF: figures, pictures, tables. Pure: what is known in, bytes out."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import islice
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Table, TableStyle

from inventory.papers.labels import printable
from tickets.insights import rules
from tickets.insights.answers import Insight
from tickets.insights.report import pictures, words

MARGIN = 18 * mm
MOST_ROWS = 12
INK, FAINT, LINE = HexColor(0x1B2430), HexColor(0x5B6675), HexColor(0xDDE1E7)
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=16, leading=20, textColor=INK, spaceAfter=6)
HEAD = ParagraphStyle("head", fontName="Helvetica-Bold", fontSize=11, leading=14, textColor=INK, spaceBefore=10)
NOTE = ParagraphStyle("note", fontName="Helvetica", fontSize=8.5, leading=11, textColor=FAINT, spaceAfter=4)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=8.5, leading=10.5, textColor=INK)


def draw(title: str, figures: Sequence[tuple[str, str]], told: Insight, course: Insight) -> bytes:
    """`told` is the week, `course` the weeks that the pictures show."""
    target = io.BytesIO()
    document = SimpleDocTemplate(
        target, pagesize=A4, leftMargin=MARGIN, rightMargin=MARGIN, topMargin=MARGIN, bottomMargin=MARGIN,
        title=printable(title), author="Rackside", invariant=1,
    )  # fmt: skip
    story: list[Flowable] = [Paragraph(_text(title), TITLE), _table(None, figures)]
    story += _pictures(course)
    story += _tables(told, course)
    document.build(story, onFirstPage=_footer, onLaterPages=_footer)
    return target.getvalue()


def _pictures(course: Insight) -> list[Flowable]:
    labels = [f"{week.begin.astimezone(course.zone):%d %b}" for week in course.weeks]
    found: list[Flowable] = []
    for measure, name in rules.MEASURES.items():
        drawing = pictures.times(course.weeks, labels, measure)
        shown: Flowable = drawing if drawing is not None else Paragraph("Too little data in each of the weeks.", NOTE)
        found.append(KeepTogether([Paragraph(f"From {name}", HEAD), shown]))
    counts = [[week.opened for week in course.weeks], [week.closed for week in course.weeks]]
    found.append(
        KeepTogether([Paragraph("Tickets", HEAD), pictures.bars(labels, counts, ("opened", "closed"), stacked=False)])
    )
    hours = [[week.out_of_service for week in course.weeks], [week.lost for week in course.weeks]]
    names = ("out of service", "lost by training runs")
    found.append(KeepTogether([Paragraph("GPU-hours", HEAD), pictures.bars(labels, hours, names, stacked=True)]))
    return found


def _tables(told: Insight, course: Insight) -> list[Flowable]:
    found: list[Flowable] = []
    for by, name in rules.GROUPS.items():
        groups = list(islice((group for group in course.groups if group.by == by), MOST_ROWS))
        if groups:
            rows = [(group.name, *(words.spread(group.times[each]) for each in rules.MEASURES)) for group in groups]
            found += [
                Paragraph(f"By {name}", HEAD),
                Paragraph(f"Over {len(course.weeks)} weeks: median / 90th percentile, and of how many.", NOTE),
                _table((name.capitalize(), "acknowledged", "hands on", "verified"), rows),
            ]
    ages = [
        (age, *(str(counts[priority]) for priority in rules.PRIORITIES))
        for (age, _), counts in zip(rules.AGES, told.ageing, strict=True)
    ]
    found += [Paragraph("Open tickets by age", HEAD), _table(("Age", *rules.PRIORITIES), ages)]
    failed = list(islice((each for each in course.parts if each.lives.failed), MOST_ROWS))
    if failed:
        parts = [
            (f"{each.lives.kind} {each.lives.name}", each.lives.by, f"{each.lives.failed} of {each.lives.parts}",
             words.rate(each.rate), words.rate(each.usual), "poor" if each.poor else "")
            for each in failed
        ]  # fmt: skip
        head = ("Part", "by", "failed", "per 1,000 days", "usual", "")
        found += [Paragraph("Lives of parts", HEAD), _table(head, parts)]
    if course.steps:
        steps = [(each.part, each.kind, str(each.checked), str(each.failed)) for each in course.steps[:MOST_ROWS]]
        found += [Paragraph("Steps that failed", HEAD), _table(("Part", "step", "checked", "failed"), steps)]
    return found


def _table(head: Sequence[str] | None, rows: Sequence[Sequence[str]]) -> Table:
    cells = [[Paragraph(_text(cell), CELL) for cell in row] for row in rows]
    if head is not None:
        cells.insert(0, [Paragraph(f"<b>{_text(cell)}</b>", CELL) for cell in head])
    style: Any = [
        ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    ]
    return Table(cells, style=TableStyle(style), repeatRows=int(head is not None), spaceAfter=4 * mm, hAlign="LEFT")


def _text(text: str) -> str:
    return escape(printable(text))


def _footer(canvas: Canvas, document: SimpleDocTemplate) -> None:
    canvas.saveState()
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(FAINT)
    canvas.drawString(MARGIN, 10 * mm, printable(str(document.title)))
    canvas.drawRightString(A4[0] - MARGIN, 10 * mm, str(document.page))
    canvas.restoreState()
