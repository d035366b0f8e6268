"""Makes what Matplotlib writes fit for a page: a tenth of the size, in the page's colours and font, with no ids."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from opbook.pages.figures.colours import ON_PAGE

_SVG = "{http://www.w3.org/2000/svg}"
_KEPT = ("fill", "fill-opacity", "opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray")
_STEP = re.compile(r"([MLQCz])([^MLQCz]*)")


def tidy(svg: str) -> str:
    """Keep the paths and texts of a picture, and nothing else.

    Args:
        svg: What Matplotlib wrote.

    Returns:
        The elements, without one around them.
    """
    return "".join(_elements(ElementTree.fromstring(svg)))


def _elements(node: ElementTree.Element) -> Iterator[str]:
    if node.tag == f"{_SVG}defs":
        return
    if node.tag == f"{_SVG}path":
        yield f'<path d="{_path(node.attrib["d"])}"{_attributes(node)}/>'
    elif node.tag == f"{_SVG}text":
        x, y = (_number(float(node.attrib[name])) for name in ("x", "y"))
        yield f'<text x="{x}" y="{y}"{_text_attributes(node)}>{escape(node.text or "")}</text>'
    elif node.tag in (f"{_SVG}use", f"{_SVG}image"):
        raise AssertionError("nothing may be drawn that needs an id or a bitmap")
    for child in node:
        yield from _elements(child)


def _style(node: ElementTree.Element) -> dict[str, str]:
    pairs = (part.partition(":") for part in node.attrib.get("style", "").split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _attributes(node: ElementTree.Element) -> str:
    style = _style(node)
    if style.get("stroke") == "none":
        del style["stroke"]
    if "stroke" not in style:
        style = {name: value for name, value in style.items() if not name.startswith("stroke")}
    return "".join(f" {name}={quoteattr(ON_PAGE.get(style[name], style[name]))}" for name in _KEPT if name in style)


def _text_attributes(node: ElementTree.Element) -> str:
    anchor = _style(node).get("text-anchor", "start")
    return f' text-anchor="{anchor}"' if anchor != "start" else ""


def _path(data: str) -> str:
    """Write a path in few characters: whole tenths of a pixel, and steps along an axis as such."""
    out: list[str] = []
    here = (0.0, 0.0)
    for command, text in _STEP.findall(data):
        numbers = [round(float(word), 1) for word in text.split()]
        if command == "L" and out and numbers[1] == here[1] and numbers[0] != here[0]:
            out.append(f"h{_number(numbers[0] - here[0])}")
        elif command == "L" and out and numbers[0] == here[0] and numbers[1] != here[1]:
            out.append(f"v{_number(numbers[1] - here[1])}")
        else:
            out.append(command + " ".join(map(_number, numbers)))
        here = (numbers[-2], numbers[-1]) if numbers else here
    return "".join(out)


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
