"""The timeline as SVG."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from puppet.files.atomic_write import write_atomically
from puppet.timeline.drawing import PAGE_COLOR, Drawn, DrawnBox, DrawnLine, lay_out_page
from puppet.timeline.model import Timeline

_FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def write(timeline: Timeline, path: Path) -> None:
    write_atomically(path, svg(timeline))


def svg(timeline: Timeline) -> str:
    drawn = lay_out_page(timeline)
    width, height = _number(drawn.width), _number(drawn.height)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f" font-family={quoteattr(_FONTS)}>",
        f"<title>{escape(drawn.title or 'Timeline')}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAGE_COLOR}"/>',
        *(_element(shape) for shape in drawn.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Drawn) -> str:
    if isinstance(shape, DrawnBox):
        stroke = f' stroke="{shape.stroke}" stroke-width="0.75"' if shape.stroke else ""
        dashes = ' stroke-dasharray="4 2.5"' if shape.dashed else ""
        place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
        size = f'width="{_number(max(shape.width, 0.5))}" height="{_number(shape.height)}"'
        return f'<rect {place} {size} fill="{shape.fill}"{stroke}{dashes}/>'
    if isinstance(shape, DrawnLine):
        ends = f'x1="{_number(shape.x1)}" y1="{_number(shape.y1)}" x2="{_number(shape.x2)}" y2="{_number(shape.y2)}"'
        return f'<line {ends} stroke="{shape.stroke}" stroke-width="{_number(shape.width)}"/>'
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    weight = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
    size = f'font-size="{_number(shape.size)}"'
    return f'<text {place} {size} fill="{shape.fill}"{anchor}{weight}>{escape(shape.text)}</text>'


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
