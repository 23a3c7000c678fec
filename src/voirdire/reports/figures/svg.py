"""A figure as inline SVG: small, the same every time, text as text, themed by the page's CSS."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from voirdire.reports.escape import visible
from voirdire.reports.figures.palette import class_of

__all__ = ["WIDTH", "house_style", "inline_svg", "lay_out"]

WIDTH = 360.0
"""Width of a figure in points: read at a phone's width without scrolling."""

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "voirdire",
    "font.family": ["DejaVu Sans"],
    "font.size": 11,
    "text.parse_math": False,
    "path.simplify": False,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Fonts and switches of our figures; the caller's own settings come back afterwards."""
    from matplotlib import rc_context

    with rc_context(_STYLE), warnings.catch_warnings():
        # The reader's browser has glyphs that our measuring font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def lay_out(draw: Callable[[Axes], None], *, height: float, width: float = WIDTH) -> Figure:
    """A figure of one axis, drawn and laid out so that no text is cut.

    Parameters
    ----------
    draw : callable
        Draws on the axis it is given.
    height, width : float
        In points.
    """
    figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
    FigureCanvasSVG(figure)
    draw(figure.add_subplot())
    figure.draw_without_rendering()
    return figure


def inline_svg(
    draw: Callable[[Axes], None],
    *,
    key: str,
    title: str,
    description: str,
    height: float,
    width: float = WIDTH,
) -> str:
    """A drawing as an ``<svg>`` element for the page.

    Parameters
    ----------
    draw : callable
        Draws on the axis it is given.
    key : str
        Letters, digits and hyphens, unique on the page: it starts every id.
    title, description : str
        For those who do not see the figure.
    height, width : float
        In points.
    """
    buffer = io.BytesIO()
    with house_style():
        figure = lay_out(draw, height=height, width=width)
        figure.savefig(buffer, format="svg", transparent=True, metadata=_NO_METADATA)
    root = ElementTree.fromstring(buffer.getvalue())  # noqa: S314 - made above
    _clean(root, key)
    for name, text in (("desc", description), ("title", title)):
        element = ElementTree.Element(f"{_SVG}{name}", id=f"{key}-{name}")
        element.text = visible(text)
        root.insert(0, element)
    view_box = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib |= {
        "viewBox": view_box,
        "class": "fig",
        "role": "img",
        "aria-labelledby": f"{key}-title",
        "aria-describedby": f"{key}-desc",
        "font-family": "system-ui, 'DejaVu Sans', sans-serif",
    }
    ElementTree.register_namespace("", _SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode")


_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def _clean(root: ElementTree.Element, key: str) -> None:
    """Drop what the page does not need; give every id the figure's key."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _is_ballast(child):
                parent.remove(child)
        _clean_attributes(parent, key)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{_SVG}g" and not len(child):
                parent.remove(child)
        parent.text = parent.text if (parent.text or "").strip() else None
        parent.tail = parent.tail if (parent.tail or "").strip() else None


def _is_ballast(element: ElementTree.Element) -> bool:
    """Metadata, and the style sheet that would reach beyond the figure."""
    if element.tag == f"{_SVG}defs":
        return all(child.tag == f"{_SVG}style" for child in element)
    return element.tag in (f"{_SVG}metadata", f"{_SVG}style")


def _clean_attributes(element: ElementTree.Element, key: str) -> None:
    attributes = element.attrib
    styles = dict(_declarations(attributes.pop("style", "")))
    attributes.update({name: value for name, value in styles.items() if _wanted(name)})
    if font := styles.get("font"):
        attributes.update(_font(font))
    name = attributes.pop("id", None)
    if name is not None and element.tag != f"{_SVG}g":
        attributes["id"] = f"{key}-{name}"
    link = attributes.pop(_LINK, None)
    if link is not None:
        attributes["href"] = f"#{key}-{link.removeprefix('#')}"
    if "clip-path" in attributes:
        attributes["clip-path"] = attributes["clip-path"].replace("url(#", f"url(#{key}-")
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    for name in ("d", "x", "y", "width", "height", "transform", "stroke-width", "viewBox"):
        if name in attributes:
            attributes[name] = _NUMBER.sub(_rounded, attributes[name]).replace("\n", "").strip()
    _give_classes(attributes)


def _give_classes(attributes: dict[str, str]) -> None:
    """``fill="#0060a8"`` also gets the class ``f-c0``, which the page's themes colour anew."""
    classes = []
    for name in ("fill", "stroke"):
        role = class_of(attributes.get(name, ""))
        if role is not None:
            classes.append(f"{name[0]}-{role}")
    if classes:
        attributes["class"] = " ".join(classes)


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            yield name.strip(), value.strip()


_DROPPED = ("font", "font-family", "font-style", "font-variant", "font-stretch")


def _wanted(name: str) -> bool:
    return name not in _DROPPED


def _font(font: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if size := re.search(r"([\d.]+)px", font):
        found["font-size"] = size.group(1)
    if re.search(r"\b(bold|700)\b", font):
        found["font-weight"] = "bold"
    return found


def _rounded(number: re.Match[str]) -> str:
    text = f"{float(number.group()):.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
