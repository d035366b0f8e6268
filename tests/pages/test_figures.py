"""Figures on pages: as SVG, from the cache, and in their places."""

import dataclasses
import math
import multiprocessing
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from opbook.figures import Bars, Heatmap, Line, Plot
from opbook.pages.figures import Cache, Gallery, hide, illustrate, place
from opbook.pages.figures import cache as cache_module
from opbook.pages.figures.svg import to_svg
from opbook.pages.model import Drawn, Guide

pytest.importorskip("matplotlib", reason="figures on pages need the extra opbook[site]")


def matrix(array, **options):
    return Heatmap(tuple(map(tuple, np.asarray(array, float).tolist())), **options)


WAVE = np.linspace(-4.0, 4.0, 81)
RNG = np.random.default_rng(0)
FIGURES = {
    "numbers": matrix([[1, -0.5], [math.nan, 0]], title="a <b> & $c$", rows=("x", "y"), columns=("p", "q")),
    "cells": matrix(RNG.normal(size=(32, 32))),
    "coarse": matrix(RNG.random((256, 100))),
    "constant": matrix(np.ones((2, 2))),
    "zero": matrix(np.zeros((2, 2))),
    "close": matrix(1000 + RNG.random((12, 12))),
    "lines": Plot((Line(tuple(WAVE), tuple(np.sin(WAVE)), "sine"), Line(tuple(WAVE), tuple(np.cos(WAVE)), "cosine"))),
    "points": Plot((Line((0.0, 1.0, 2.0), (1.0, math.nan, 3.0)),)),
    "one point": Plot((Line((0.0,), (1.0,)),)),
    "many points": Plot((Line(tuple(np.arange(10_000.0)), tuple(RNG.normal(size=10_000))),)),
    "bars": Bars((3.0, -1.0, math.inf, 0.0), ("a", "b", "c", "d"), "bars"),
    "zero bars": Bars((0.0,)),
}


def elements(svg):
    return list(ElementTree.fromstring(svg).iter())


def texts(svg):
    return [element.text for element in elements(svg) if element.tag == "text"]


@pytest.fixture(params=FIGURES)
def figure(request):
    return FIGURES[request.param]


@pytest.fixture
def svg(figure):
    return to_svg(figure)


def test_it_is_small(svg):
    assert len(svg) < 30_000
    assert "\n" not in svg


def test_it_follows_the_page(svg):
    assert 'fill="currentColor"' in svg
    assert "font-family" not in svg
    # every colour is the text's, a variable of the page, or none
    assert not re.search(r'(?:fill|stroke)="(?!currentColor|var\(--ob-|none)', svg)


def test_it_refers_to_nothing(svg):
    assert not re.search(r"http|href|url\(|<image|<use|<style|clip-path", svg)


def test_screen_readers_get_a_title_and_a_description(figure, svg):
    root, *children = elements(svg)
    title, description = children[:2]
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert title.text == type(figure).__name__ + (f": {figure.title}" if figure.title else "")
    assert description.text == figure.description
    assert [element for element in children[2:] if "id" in element.attrib] == []


def test_nothing_is_drawn_outside(svg):
    width, height = map(float, re.match(r'<svg viewBox="0 0 (\S+) (\S+)"', svg).groups())
    for element in elements(svg):
        if element.tag == "text":
            assert -1 <= float(element.attrib["x"]) <= width + 1
            assert 0 <= float(element.attrib["y"]) <= height + 1
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", element.attrib.get("d", "")):
            assert -1 <= float(x) <= width + 1
            assert -1 <= float(y) <= height + 1


def test_small_matrices_show_their_numbers():
    svg = to_svg(FIGURES["numbers"])
    assert texts(svg) == ["p", "q", "x", "y", "1", "−0.5", "nan", "0"]
    assert svg.count("--ob-hot") == svg.count("--ob-cold") == 1
    assert 'opacity="0.5"' in svg


def test_a_cell_of_each_entry_and_none_for_a_gap():
    # one rectangle is M x y h v h z
    assert sum(element.attrib.get("d", "").count("z") for element in elements(to_svg(FIGURES["numbers"]))) == 3
    cells = [element.attrib["d"] for element in elements(to_svg(FIGURES["cells"])) if "d" in element.attrib]
    assert sum(path.count("z") for path in cells) == 32 * 32 + 14  # and the scale


def test_close_numbers_can_be_told_apart():
    assert len(set(re.findall(r'opacity="([\d.]+)"', to_svg(FIGURES["close"])))) > 10


def test_a_limit_makes_colours_compare():
    assert 'opacity="0.5"' in to_svg(matrix([[1.0]], limit=2.0))
    assert "opacity" not in to_svg(matrix([[1.0]]))


def test_lines_have_names_colours_and_dashes():
    svg = to_svg(FIGURES["lines"])
    assert {"sine", "cosine"} <= set(texts(svg))
    assert "--ob-series-1" in svg
    assert "--ob-series-2" in svg
    assert svg.count("stroke-dasharray") == 2  # the second line, and beside its name


def test_a_single_point_is_a_dot():
    assert re.search(r'd="M(\S+ \S+)L\1"[^>]*stroke-linecap="round"', to_svg(FIGURES["one point"]))


def test_the_peak_of_many_points_is_drawn():
    y = np.zeros(10_000)
    y[4321] = 1.0
    svg = to_svg(Plot((Line(tuple(np.arange(10_000.0)), tuple(y)),)))
    (path,) = (e.attrib["d"] for e in elements(svg) if "--ob-series-1" in e.attrib.get("stroke", ""))
    heights = [float(y) for y in re.findall(r"[ML]\S+ ([\d.]+)", path)]
    assert max(heights) - min(heights) > 150  # of 180 pixels


def test_bars_stand_on_both_sides_of_zero():
    svg = to_svg(FIGURES["bars"])
    assert svg.count("--ob-hot") == svg.count("--ob-cold") == 1
    assert {"3", "−1", "inf", "0", "a", "b", "c", "d"} == set(texts(svg))


def test_it_does_not_depend_on_what_a_user_has_configured(figure, svg):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.grid": True, "lines.marker": "o"}):
        assert to_svg(figure) == svg


def test_it_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import hashlib, test_figures as t\n"
        "print(hashlib.sha256(''.join(map(t.to_svg, t.FIGURES.values())).encode()).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env=os.environ | {"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(prints) == 1


def test_the_cache_draws_once(tmp_path):
    first, second = Cache(tmp_path / "cache"), Cache(tmp_path / "cache")
    drawn = first.svg(FIGURES["bars"])
    assert second.svg(FIGURES["bars"]) == drawn == to_svg(FIGURES["bars"])
    assert (first.drawn, second.drawn) == (1, 0)
    second.svg(dataclasses.replace(FIGURES["bars"], title="another"))
    assert second.drawn == 1
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_many_figures_are_drawn_at_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "MANY", 2)
    wanted = [FIGURES[name] for name in ("bars", "numbers", "bars", "lines")]
    cache = Cache(tmp_path)
    cache.prepare(wanted)
    assert cache.drawn == (3 if "fork" in multiprocessing.get_all_start_methods() else 0)
    assert [cache.svg(figure) for figure in wanted] == [to_svg(figure) for figure in wanted]
    assert cache.drawn == 3
    again = Cache(tmp_path)
    again.prepare(wanted)
    assert [again.svg(figure) for figure in wanted] == [cache.svg(figure) for figure in wanted]
    assert again.drawn == 0


def test_the_cache_knows_what_drew_a_picture(tmp_path, monkeypatch):
    Cache(tmp_path).svg(FIGURES["bars"])
    monkeypatch.setattr(cache_module, "_renderer", lambda: "another one")
    cache = Cache(tmp_path)
    cache.svg(FIGURES["bars"])
    assert cache.drawn == 1


def test_a_damaged_picture_is_drawn_again(tmp_path):
    Cache(tmp_path).svg(FIGURES["bars"])
    (path,) = tmp_path.glob("*.svg")
    path.write_text("<svg ")
    assert Cache(tmp_path).svg(FIGURES["bars"]) == to_svg(FIGURES["bars"])


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert Cache(tmp_path / "file").svg(FIGURES["zero bars"]) == to_svg(FIGURES["zero bars"])


def test_old_pictures_go(tmp_path):
    cache = Cache(tmp_path)
    cache.svg(FIGURES["bars"])
    cache.prune()
    assert len(list(tmp_path.glob("*.svg"))) == 1
    for path in tmp_path.glob("*.svg"):
        os.utime(path, (time.time(), time.time() - cache_module.KEPT - 1))
    cache.prune()
    assert list(tmp_path.glob("*.svg")) == []


def test_pictures_are_placed_with_ids_of_their_own():
    gallery = Gallery(Cache())
    mark = gallery.mark([FIGURES["bars"], FIGURES["zero bars"]])
    hidden = hide(f"<p>{mark}</p>\n<ul><li>{mark}</li></ul>", gallery.blocks)
    assert hidden == f"<!--{mark}-->\n<ul><li><!--{mark}--></li></ul>", "a search finds no mark"
    html = place(hidden, gallery.blocks)
    ids = re.findall(r' id="([^"]+)"', html)
    assert ids == [f"figure-{i}-{part}" for i in range(1, 5) for part in ("title", "desc")]
    for labels in re.findall(r'aria-labelledby="([^"]+)"', html):
        assert set(labels.split()) <= set(ids)
    assert "<p><div" not in html
    assert "obfigures" not in html
    assert html.count("<figcaption>bars</figcaption>") == 2
    assert html.count("<figure>") == 4


def test_a_mark_is_the_same_for_the_same_figures_only():
    gallery = Gallery(Cache())
    assert gallery.mark([]) == ""
    assert gallery.mark([FIGURES["bars"]]) == gallery.mark((FIGURES["bars"],))
    assert gallery.mark([FIGURES["bars"]]) != gallery.mark([FIGURES["zero bars"]])
    assert len(gallery.blocks) == 2


def test_an_unknown_mark_stays():
    text = f"obfigures{'0' * 24}x"
    assert place(hide(text, {}), {}) == text


def test_marks_of_guides(tmp_path):
    gallery = Gallery(Cache())
    guide = Guide(tmp_path / "a.md", "a.md", "A")
    marks = gallery.marks([Drawn(guide, 3, (FIGURES["bars"],)), Drawn(guide, 9, (FIGURES["zero bars"],))])
    assert marks == {"a.md": [(3, gallery.mark([FIGURES["bars"]])), (9, gallery.mark([FIGURES["zero bars"]]))]}


def test_marks_go_behind_their_lines():
    text = "a\n\n- b\n\n    ```\n    c\n    ```\n> d\n> ```\n> ```\nlast"
    marked = illustrate(text, [(7, "MARK1"), (10, "MARK2"), (11, "MARK3")])
    assert marked == (
        "a\n\n- b\n\n    ```\n    c\n    ```\n\n    MARK1\n\n> d\n> ```\n> ```\n>\n> MARK2\n>\nlast\n\nMARK3\n\n"
    )
    assert illustrate(text, []) == text
