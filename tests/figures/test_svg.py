"""Figures as SVG: where everything is, by hand; and what holds of every figure."""

import hashlib
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from gallery import FIGURES, line, matrix

from opbook.figures import Bars, Heatmap, Plot
from opbook.figures.drawing import LONGEST, width_of
from opbook.figures.svg import svg


def elements(drawn):
    return list(ElementTree.fromstring(drawn).iter())


def texts(drawn):
    return [element.text for element in elements(drawn) if element.tag == "text"]


def place_of(drawn, text):
    """Where a text that stands there once is: the x that it is drawn at, and the middle of its height."""
    (element,) = (e for e in elements(drawn) if e.tag == "text" and e.text == text)
    return float(element.attrib["x"]), float(element.attrib["y"]) - 0.35 * 12


def paths(drawn, variable):
    """The paths of one colour."""
    return [
        element
        for element in elements(drawn)
        if f"({variable}," in element.attrib.get("fill", "") + element.attrib.get("stroke", "")
    ]


def boxes(drawn, variable):
    """The rectangles of one colour, with how strong it is: (x, y, width, height, opacity)."""
    return [
        (*map(float, box), float(path.attrib.get("opacity", 1)))
        for path in paths(drawn, variable)
        for box in re.findall(r"M(-?[\d.]+) (-?[\d.]+)h(-?[\d.]+)v(-?[\d.]+)h-?[\d.]+z", path.attrib["d"])
    ]


def points(path):
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.attrib["d"])]


@pytest.fixture(params=FIGURES)
def figure(request):
    return FIGURES[request.param]


@pytest.fixture
def drawn(figure):
    return svg(figure)


def test_it_is_small_and_one_line(drawn):
    assert len(drawn) < 30_000
    assert "\n" not in drawn


def test_it_follows_the_page(drawn):
    assert 'fill="currentColor"' in drawn
    assert "font-family" not in drawn
    # every colour is the text's, a variable of the page, or none
    assert not re.search(r'(?:fill|stroke)="(?!currentColor|var\(--ob-|none)', drawn)


def test_it_refers_to_nothing(drawn):
    assert not re.search(r"http|href|url\(|<image|<use|<style|clip-path", drawn)


def test_it_gets_smaller_where_the_page_is_narrow(drawn):
    assert 'style="max-width:100%;height:auto"' in drawn


def test_screen_readers_get_a_title_and_a_description(figure):
    root, *children = elements(svg(figure, "figure-7"))
    title, description = children[:2]
    assert root.attrib["role"] == "img"
    assert (title.attrib["id"], description.attrib["id"]) == ("figure-7-title", "figure-7-desc")
    assert root.attrib["aria-labelledby"].split() == ["figure-7-title", "figure-7-desc"]
    assert title.text == type(figure).__name__ + (f": {figure.title}" if figure.title else "")
    assert description.text == " ".join(figure.description.split())
    assert [element for element in children[2:] if "id" in element.attrib] == []


def test_nothing_is_drawn_outside(drawn):
    parts = elements(drawn)
    left, top, width, height = map(float, parts[0].attrib["viewBox"].split())
    grouped = {element: group.attrib for group in parts if group.tag == "g" for element in group}
    for element in parts:
        if element.tag == "text" and "x" in element.attrib:
            look = grouped.get(element, {}) | element.attrib
            before = {"start": 0, "middle": 0.5, "end": 1}[look.get("text-anchor", "start")]
            start = float(element.attrib["x"]) - before * width_of(element.text)
            assert left <= start <= start + width_of(element.text) <= left + width
            assert top + 8 <= float(element.attrib["y"]) <= top + height
        if slanted := re.match(r"translate\((\S+) (\S+)\)rotate\(-45\)", element.attrib.get("transform", "")):
            end = width_of(element.text) / math.sqrt(2)
            assert left <= float(slanted[1]) + end <= left + width
            assert top <= float(slanted[2]) - end
        for x, y in points(element) if element.tag == "path" else ():
            assert left <= x <= left + width
            assert top <= y <= top + height


def test_there_is_room_for_the_widest_of_the_common_fonts():
    # the widths of Verdana's letters in thousandths of its size, from the table hmtx of the font
    verdana = {"m": 973, "o": 607, "u": 633, "s": 521, "e": 596, "W": 989, "i": 274, "1": 636, "−": 818, "%": 1076}
    for text in ("mouse", "WWWW", "m", "iiii", "−11", "mimosemiu%"):
        assert width_of(text) >= 12 * sum(verdana[letter] for letter in text) / 1000
    assert width_of("日本語") >= 3 * 12
    assert width_of("e\u0301") == width_of("e")
    assert width_of("i" * 10 * LONGEST) == width_of("i" * (LONGEST - 1) + "…"), "more is not written"


def test_a_label_is_whole_unless_it_is_very_long():
    long = "a label that goes on " * 4
    drawn = svg(Bars((1.0, 2.0, 3.0), ("an elephant in the room", long, "x\ty\x00\n\nz")))
    assert "an elephant in the room" in texts(drawn)
    (shortened,) = (element for element in elements(drawn) if (element.text or "").endswith("…"))
    assert long.startswith(shortened.text[:-1])
    assert len(shortened.text) == LONGEST
    assert shortened[0].tag == "title"
    assert shortened[0].text == long.strip()
    assert "x y z" in texts(drawn)


def test_small_matrices_show_their_numbers():
    drawn = svg(FIGURES["numbers"])
    assert sorted(texts(drawn)) == sorted(["p", "q", "x", "y", "1", "−0.5", "nan", "0"])
    assert [box[4] for box in boxes(drawn, "--ob-hot")] == [1]
    assert [box[4] for box in boxes(drawn, "--ob-cold")] == [0.5]
    assert len(boxes(drawn, "--ob-line")) == 1, "0 is an empty cell, and nan is none"


def test_cells_stand_in_rows_and_columns_below_and_beside_their_labels():
    drawn = svg(matrix([[1, 2, 3], [4, 5, 6]], rows=("a", "b"), columns=("x", "y", "z")))
    cells = sorted(boxes(drawn, "--ob-hot"), key=lambda box: box[4])
    xs, ys = [sorted({box[i] for box in cells}) for i in (0, 1)]
    assert [(xs.index(x), ys.index(y)) for x, y, *_ in cells] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert np.ptp(np.diff(xs)) == pytest.approx(0, abs=0.11)
    for column, name in zip(xs, "xyz", strict=True):
        assert place_of(drawn, name)[0] == pytest.approx(column + cells[0][2] / 2, abs=0.6)
    for row, name in zip(ys, "ab", strict=True):
        assert place_of(drawn, name)[1] == pytest.approx(row + cells[0][3] / 2, abs=0.6)
    assert [box[4] for box in cells] == pytest.approx([i / 6 for i in range(1, 7)], abs=0.025)


def test_stronger_colours_are_for_larger_numbers():
    values = np.linspace(-2, 3, 12 * 12)
    drawn = svg(matrix(values.reshape(12, 12)))
    scale = max(x for x, *_ in boxes(drawn, "--ob-hot"))
    for variable, sign in (("--ob-hot", 1), ("--ob-cold", -1)):
        cells = sorted((box for box in boxes(drawn, variable) if box[0] < scale), key=lambda box: (box[1], box[0]))
        strengths = [box[4] for box in cells][::sign]
        assert strengths == sorted(strengths)
        assert len(set(strengths)) > 10
        assert strengths[-1] == pytest.approx(1 if sign == 1 else 2 / 3, abs=0.025)
    assert {"3", "−2"} <= set(texts(drawn)), "the ends of the scale"


def test_a_cell_of_each_entry():
    drawn = svg(FIGURES["cells"])
    cells = [box for variable in ("--ob-hot", "--ob-cold", "--ob-line") for box in boxes(drawn, variable)]
    assert len(cells) == 32 * 32 + 8  # and the scale


def test_close_numbers_can_be_told_apart():
    assert len({box[4] for box in boxes(svg(FIGURES["close"]), "--ob-hot")}) > 10


def test_numbers_that_are_as_far_from_zero_on_both_sides_are_not_close():
    drawn = svg(matrix([[-2.0, 1.9]]))
    assert [box[4] for box in boxes(drawn, "--ob-cold")] == [1]
    assert [box[4] for box in boxes(drawn, "--ob-hot")] == [0.95]


def test_a_limit_makes_colours_compare():
    assert [box[4] for box in boxes(svg(matrix([[1.0]], limit=2.0)), "--ob-hot")] == [0.5]
    assert [box[4] for box in boxes(svg(matrix([[1.0]])), "--ob-hot")] == [1]


def test_columns_with_long_labels_are_slanted_and_rows_have_the_room_they_need():
    names = ("mouse", "an elephant in the room")
    drawn = svg(matrix(np.ones((2, 2)), rows=names, columns=names))
    assert texts(drawn).count(names[1]) == 2
    assert drawn.count("rotate(-45)") == 2
    assert "rotate" not in svg(matrix(np.ones((2, 2)), columns=("mouse", "cat")))


def test_many_labels_do_not_touch():
    drawn = svg(matrix(np.ones((40, 3)), rows=tuple(f"row {i}" for i in range(40))))
    heights = [place_of(drawn, text)[1] for text in texts(drawn) if text.startswith("row ")]
    assert len(heights) >= 10
    assert min(np.diff(heights)) >= 12


def test_points_are_where_the_axes_say():
    drawn = svg(Plot((line([0, 1, 4], [0, 10, -5]),)))
    (path, _dots) = paths(drawn, "--ob-series-1")
    x = {tick: place_of(drawn, str(tick))[0] for tick in (1, 2, 3, 4)}
    y = {tick: place_of(drawn, str(tick).replace("-", "−"))[1] for tick in (5, 10, -5)}
    assert y[10] < y[5] < y[-5], "upwards"
    assert y[5] - y[10] == pytest.approx((y[-5] - y[5]) / 2, abs=0.2)
    assert x[2] - x[1] == pytest.approx(x[4] - x[3], abs=0.2)
    zero = (x[1] - (x[2] - x[1]), (y[5] + y[-5]) / 2)
    assert points(path) == [pytest.approx(p, abs=0.3) for p in (zero, (x[1], y[10]), (x[4], y[-5]))]


def test_a_grid_line_stands_at_every_number_of_the_axes():
    drawn = svg(Plot((line([0, 1, 4], [0, 10, -5]),)))
    (grid,) = paths(drawn, "--ob-line")
    ends = points(grid)
    upright = [x for (x, _), (other, _) in zip(ends[::2], ends[1::2], strict=True) if x == other]
    flat = [y for (_, y), (_, other) in zip(ends[::2], ends[1::2], strict=True) if y == other]
    assert len(upright) + len(flat) == len(texts(drawn))
    for tick in (1, 2, 3, 4):
        assert place_of(drawn, str(tick))[0] in upright
    assert min(flat) == pytest.approx(place_of(drawn, "10")[1], abs=0.1)


def test_lines_have_names_colours_and_dashes():
    drawn = svg(FIGURES["lines"])
    assert {"sine", "cosine"} <= set(texts(drawn))
    assert len(paths(drawn, "--ob-series-1")) == len(paths(drawn, "--ob-series-2")) == 2
    assert drawn.count("stroke-dasharray") == 2  # the second line, and beside its name


def test_a_point_that_is_not_finite_breaks_a_line():
    (path,) = paths(svg(Plot((line(range(20), [*range(9), math.nan, *range(10)]),))), "--ob-series-1")
    assert path.attrib["d"].count("M") == 2
    assert len(points(path)) == 19


def test_a_point_alone_is_a_dot():
    (path,) = paths(svg(FIGURES["one point"]), "--ob-series-1")
    first, second = points(path)
    assert first == second
    assert path.attrib["stroke-linecap"] == "round"
    assert len(points(paths(svg(FIGURES["points"]), "--ob-series-1")[0])) == 4, "two dots"


def test_the_peak_of_many_points_is_drawn():
    y = np.zeros(10_000)
    y[4321] = 1.0
    (path,) = paths(svg(Plot((line(np.arange(10_000), y),))), "--ob-series-1")
    heights = [y for _, y in points(path)]
    assert max(heights) - min(heights) > 150
    assert len(heights) < 1000


def test_bars_are_as_long_as_their_numbers_are_large():
    drawn = svg(Bars((3.0, -1.5, 0.75, 0.0, math.inf), ("a", "b", "c", "d", "e")))
    (a, c), (b,) = boxes(drawn, "--ob-hot"), boxes(drawn, "--ob-cold")
    zero = a[0]
    assert c[0] == zero
    assert b[0] + b[2] == pytest.approx(zero, abs=0.2)
    assert b[2] == pytest.approx(a[2] / 2, abs=0.2)
    assert c[2] == pytest.approx(a[2] / 4, abs=0.2)
    assert np.diff([box[1] for box in (a, b, c)]) == pytest.approx([27, 27])
    for name, number, box in (("a", "3", a), ("b", "−1.5", b), ("c", "0.75", c)):
        assert place_of(drawn, name)[1] == place_of(drawn, number)[1] == pytest.approx(box[1] + box[3] / 2, abs=0.1)
    assert {"3", "−1.5", "0.75", "0", "inf", "a", "b", "c", "d", "e"} == set(texts(drawn))


def test_a_limit_makes_bars_compare():
    (half,), (whole,) = (boxes(svg(Bars((1.0,), limit=limit)), "--ob-hot") for limit in (2.0, 1.0))
    assert half[2] == pytest.approx(whole[2] / 2, abs=0.1)


def test_it_is_the_same_in_every_process():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from gallery import FIGURES\n"
        "from opbook.figures.svg import svg\n"
        "sys.stdout.buffer.write(''.join(map(svg, FIGURES.values())).encode())"
    )
    here = hashlib.sha256("".join(map(svg, FIGURES.values())).encode()).hexdigest()
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parents[1])],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        assert hashlib.sha256(there).hexdigest() == here


def test_what_cells_say_comes_back_as_it_was():
    labels = ("it's", 'a "b" <c> & [d]', "−∞")
    figure = Heatmap(((1.0, 2.0, 3.0),), columns=labels, told=(("{row}\nx = [1]", "it's {value}", ""),))
    cells = json.loads(elements(svg(figure))[0].attrib["data-cells"])
    assert cells["columns"] == list(labels)
    assert (cells["lines"], cells["told"]) == (["{row}", "x = [1]", "it's {value}"], ["0 1;2;"])
