"""Figures as data: where they go, what is said of them, and how they look as characters."""

import contextlib
import dataclasses
import io
import math
import sys
import threading

import pytest

from opbook.errors import InputError
from opbook.figures import Bars, Heatmap, Line, Plot, Switches, capture, show
from opbook.figures.numbers import coarser, short, span_from_zero
from opbook.figures.terminal import BLOCKS, can_write_blocks, render

SMALL = Heatmap(((1.0, 0.25), (0.0, math.nan)), "weights", ("a", "b"), ("x", "y"))


def text_of(*lines):
    return "\n".join(lines)


def test_outside_a_capture_a_figure_is_printed(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    show(SMALL)
    printed = capsys.readouterr().out
    assert printed.startswith("weights\n")
    assert max(map(len, printed.splitlines())) <= 30


def test_the_innermost_capture_gets_it(capsys):
    with capture() as outer:
        show(SMALL)
        with capture() as inner:
            show(Bars((1.0,)))
        show(Bars((2.0,)))
    assert outer == [SMALL, Bars((2.0,))]
    assert inner == [Bars((1.0,))]
    assert capsys.readouterr().out == ""


def test_a_capture_ends_with_an_error(capsys):
    with contextlib.suppress(ValueError), capture():
        raise ValueError
    show(SMALL)
    assert "weights" in capsys.readouterr().out


def test_threads_capture_for_themselves():
    found = {}
    barrier = threading.Barrier(2)

    def draw(number):
        with capture() as figures:
            barrier.wait(10)
            show(Bars((float(number),)))
            barrier.wait(10)
        found[number] = figures

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: [Bars((0.0,))], 1: [Bars((1.0,))]}


def test_a_figure_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SMALL.title = "another"
    assert hash(SMALL) == hash(dataclasses.replace(SMALL))


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (SMALL, "A matrix of 2 rows and 2 columns. The columns are x, y. a: 1, 0.25; b: 0, nan."),
        (Heatmap(((1.0, -2.5),)), "A matrix of 1 row and 2 columns. Row 0: 1, -2.5."),
        (Heatmap(((1.0,) * 9, (3.0,) * 9) * 5), "A matrix of 10 rows and 9 columns, values from 1 to 3."),
        (
            Plot((Line((0.0, 1.0), (2.0, -1.0), "f"), Line((0.0,), (5.0,)))),
            "2 lines. f: 2 points over 0 to 1, values from -1 to 2; Line 1: 1 point over 0 to 0, values from 5 to 5.",
        ),
        (Bars((1.0, 2.0), ("a", "b")), "A bar for each of 2 numbers. a: 1; b: 2."),
        (Bars((1.0,)), "A bar for each of 1 number. 0: 1."),
    ],
)
def test_a_description_says_what_can_be_seen(figure, text):
    assert figure.description == text


@pytest.mark.parametrize(
    ("value", "largest", "text"),
    [
        (0.76812, 0, "0.768"),
        (1 / 3, 1, "0.333"),
        (0.0004, 1, "0"),
        (-0.0004, 1, "0"),
        (-12.345, 0, "-12.3"),
        (100, 100, "100"),
        (99999, 0, "99999"),
        (1_500_000, 0, "1.5e6"),
        (1e-17, 1e-5, "0"),
        (2.5e-7, 2.5e-7, "2.5e-7"),
        (0.0, 0.0, "0"),
        (math.inf, 1, "inf"),
    ],
)
def test_short_numbers(value, largest, text):
    assert short(value, largest) == text


def test_an_axis_with_a_limit_reaches_it_on_each_side_that_has_a_number():
    assert span_from_zero([1, 2]) == (0, 2)
    assert span_from_zero([1, 2], 5) == (0, 5)
    assert span_from_zero([-1, 2], 5) == (-5, 5)
    assert span_from_zero([-1, -2], 5) == (-5, 0)


def test_a_coarser_matrix_has_the_means():
    rows = ((1.0, 3.0, 5.0), (1.0, 3.0, math.nan), (9.0, 9.0, math.inf))
    assert coarser(rows, 2, 2)[0] == (2.0, 5.0)
    assert coarser(rows, 2, 2)[1][0] == 9.0
    assert math.isnan(coarser(rows, 2, 2)[1][1])


def test_a_small_matrix_with_its_numbers():
    assert render(SMALL) == text_of(
        "weights",
        "        x       y",
        "a ██    1 ░░ 0.25",
        "b       0 ··  nan",
    )


def test_a_matrix_in_ascii():
    assert render(SMALL, blocks=False) == text_of(
        "weights",
        "        x       y",
        "a ##    1 .. 0.25",
        "b       0 ??  nan",
    )


def test_a_large_matrix_gets_coarser_and_says_what_shades_mean():
    figure = Heatmap(tuple(tuple(float(i) for _ in range(100)) for i in range(64)))
    lines = render(figure, 40).splitlines()
    assert len(lines) == 32 + 1
    assert max(map(len, lines)) <= 40
    assert lines[31].startswith("██")
    assert lines[-1] == "from 0 ( ) to 63 (█)"


def test_labels_of_any_script_stand_in_columns():
    labels = ("mouse", "日本語のラベル", "e\u0301te\u0301", "a label that goes on and on")
    rows = render(Bars((1.0, 1.0, 1.0, 1.0), labels), 40).splitlines()
    # two places for each Japanese letter, none for an accent over the letter before it
    assert [row.index("│") for row in rows] == [17, 10, 19, 17]
    assert [row.split("│")[0].strip() for row in rows] == [*labels[:3], "a label that g.."]


def test_lines_as_a_chart():
    figure = Plot((Line((0.0, 1.0, 2.0), (0.0, 1.0, 0.0), "up and down"),), "a roof")
    lines = render(figure, 40).splitlines()
    assert lines[0] == "a roof"
    assert lines[1].startswith("  1 ┤")
    assert lines[12].startswith("  0 ┤•")
    assert lines[12].endswith("•")
    assert lines[1].index("•") > 15
    assert [row.split()[0] for row in lines if "┤" in row] == ["1", "0.8", "0.6", "0.4", "0.2", "0"]
    assert lines[14].split() == ["0", "1", "2"]
    assert lines[14].index("1") == lines[1].index("•"), "the peak is above its place on the axis"
    assert lines[15].strip() == "• up and down"
    assert max(map(len, lines)) <= 40


def test_a_point_that_is_not_finite_breaks_a_line():
    whole = render(Plot((Line((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.0, 3.0)),)))
    gap = render(Plot((Line((0.0, 1.0, 2.0, 3.0), (0.0, math.nan, 2.0, 3.0)),)))
    assert 0 < gap.count("•") < whole.count("•")


def test_bars_to_both_sides():
    assert render(Bars((3.0, -1.5, math.nan), ("a", "bb", "c"), "t"), 20) == text_of(
        "t",
        " a    │██████▋ 3",
        "bb ███│ -1.5",
        " c    │ nan",
    )
    assert render(Bars((1.0, 2.0)), 20, blocks=False) == "0 |####### 1\n1 |############## 2"


def test_a_limit_sets_the_scale():
    assert render(Bars((1.0,), limit=2.0), 20).count("█") * 2 == render(Bars((1.0,), limit=1.0), 20).count("█")
    assert "░░ 0.4" in render(Heatmap(((0.2, 0.4),), limit=1.0)).replace("▒▒", "░░")
    assert "██ 0.4" in render(Heatmap(((0.2, 0.4),)))


@pytest.mark.parametrize("figure", [SMALL, Bars((1.0, -2.0)), Plot((Line((0.0, 1.0), (1.0, 2.0), "naïve"),))])
def test_without_blocks_all_is_ascii(figure):
    assert render(figure, blocks=False).isascii()


@pytest.mark.parametrize(("encoding", "possible"), [("utf-8", True), ("ascii", False), ("latin-1", False)])
def test_what_a_stream_can_hold(encoding, possible):
    assert can_write_blocks(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is possible
    assert can_write_blocks(io.StringIO()) is True


def test_no_other_characters_are_drawn_with():
    figures = [
        Heatmap((tuple(i / 8 for i in range(9)), (math.nan,) * 9)),
        Bars(tuple(i / 8 for i in range(-9, 9))),
        Plot(tuple(Line((0.0, 1.0, 2.0), (i, -i, i + 0.5), "abcdefgh"[i]) for i in range(8))),
    ]
    drawn = set("".join(map(render, figures)))
    assert drawn - {chr(i) for i in range(128)} <= set(BLOCKS)
    assert {"░", "█", "▍", "·", "•", "┴"} <= drawn


def test_an_ascii_terminal_gets_ascii(monkeypatch):
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii"))
    show(SMALL)
    sys.stdout.flush()
    assert b"##    1" in buffer.getvalue()


def test_what_a_page_says_of_the_cells_of_a_heatmap():
    cells = Heatmap(((1.0, -0.123456), (math.nan, 0.00004)), columns=("x", "y")).cells
    assert cells["values"] == ["1 −0.1235", "nan 0"]
    assert (cells["rows"], cells["columns"], cells["joined"]) == (["row 0", "row 1"], ["x", "y"], 1)
    assert not {"told", "choices"} & set(cells)
    assert Heatmap(()).cells == Bars((1.0,)).cells == {}


def test_cells_of_a_large_matrix_are_means_with_the_names_of_all_that_they_hold():
    labels = tuple("abcdefghijklmnopqrstuvwxyz"[i % 26] + str(i // 26) for i in range(65))
    cells = Heatmap(tuple((float(i), i + 2.0) for i in range(65)), rows=labels).cells
    assert cells["joined"] == 3
    assert cells["rows"][:2] == ["a0 to c0", "d0 to f0"]
    assert cells["rows"][-1] == "l2 to m2"
    assert cells["values"][0] == "1 3"
    assert cells["columns"] == ["column 0", "column 1"]


def test_switches_hold_every_row_that_there_can_be():
    rows = (((0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (0.5, 1.5)),)
    switches = Switches(rows, (3,), (("none", (0,)),))
    cells = Heatmap(((0.5, 1.5),), told=(("one\nrow", "two\nrow"),), switches=switches).cells
    assert cells["choices"] == [["0 0", "2 0", "0 2", "0.5 1.5"]]
    assert (cells["chosen"], cells["presets"], cells["most"]) == ((3,), (("none", (0,)),), 2.0)
    assert (cells["lines"], cells["told"]) == (["one", "row", "two"], ["0 1;2 1"])


def test_what_is_told_and_switched_must_fit_the_matrix():
    with pytest.raises(InputError, match="a text for each entry of 1 rows and 2 columns"):
        Heatmap(((1.0, 2.0),), told=(("one",),))
    with pytest.raises(InputError, match=r"2 \*\* 2 = 4 choices for each of 1 rows"):
        Heatmap(((1.0, 2.0),), switches=Switches((((0.0, 0.0), (1.0, 2.0)),), (1,)))
