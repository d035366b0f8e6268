"""Builtins in a session: registered, replaced, and shown as HTML."""

import html.parser
import re

import pytest

import opbook
from opbook import Array, Builtin, builtin, register
from opbook.errors import ArgumentError, BuiltinImportError, PluginError
from opbook.notation import Session
from opbook.plugins import catalogue
from opbook.plugins import discovery as plugins
from opbook.testing import check

VOID = {"br", "hr", "img", "input", "meta", "link"}


@pytest.fixture(autouse=True)
def session(monkeypatch):
    """A catalogue of its own, so that nothing that is registered stays."""
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    monkeypatch.setenv("OPBOOK_PLUGINS", "")


def made(factor: float, name: str = "scaled") -> Builtin:
    def definition(x: Array["..."]) -> Array["..."]:
        return factor * x

    definition.__name__ = name
    definition.__doc__ = f"Multiplies by {factor}."
    return builtin(category="Session")(definition)


class Outline(html.parser.HTMLParser):
    """Holds every tag to the one that it closes, and collects the text and the tags."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_a_registered_builtin_is_one_of_all():
    op = register(made(2))
    from opbook.ops import scaled

    assert scaled is op
    assert "scaled" in dir(opbook.ops)
    loaded = catalogue.catalogue()
    assert loaded.plugin_of("scaled").source == plugins.SESSION
    assert op in loaded.categories()["Session"]
    assert Session(loaded).run("scaled([1, 2])").tolist() == [2, 4]
    assert {outcome.status for outcome in check(op, ["dtypes", "differences", "notation"])} == {"passed"}


def test_completion_knows_it():
    assert "register" in dir(opbook)
    with pytest.raises(AttributeError, match="no attribute 'regster'"):
        opbook.regster  # noqa: B018


def test_running_a_cell_again_replaces_it_for_sessions_that_are_open():
    register(made(2))
    session = Session(catalogue.catalogue())
    assert session.run("scaled(1)") == 2
    register(made(3))
    register(made(5, "other"))
    assert session.run("scaled(1)") == 3
    (info,) = [each for each in catalogue.catalogue().plugins if each.source == plugins.SESSION]
    assert info.contributes["builtins"] == ["other", "scaled"]


def test_it_takes_no_plugins_place():
    with pytest.raises(PluginError, match=r"layer_norm is a builtin of opbook-layer-norm .* such as my_layer_norm"):
        register(made(2, "layer_norm"))
    from opbook.ops import layer_norm

    assert layer_norm.category == "Statistics & ML"


@pytest.mark.parametrize(
    ("thing", "words"),
    [(lambda x: x, 'decorate it with @builtin(category="...") first'), (3, "register takes a builtin, but 3 came")],
)
def test_what_is_no_builtin_is_refused(thing, words):
    with pytest.raises(ArgumentError, match=re.escape(words)):
        register(thing)


def test_a_scratch_session_leaves_nothing():
    register(made(2))
    with catalogue.scratch_session():
        register(made(3))
        register(made(4, "other"))
    assert catalogue.catalogue()["scaled"](1.0) == 2
    with pytest.raises(BuiltinImportError):
        from opbook.ops import other  # noqa: F401


def test_every_builtin_is_well_formed_html_without_requests():
    for op in catalogue.catalogue().values():
        found = Outline(op._repr_html_())
        assert op.name in found.text
        assert not found.tags & {"script", "link", "img", "style", "iframe"}
        assert not found.attributes - {"class", "style"}
    assert "color" not in op._repr_html_(), "colours are the notebook's"


def test_a_builtin_shows_its_shapes_formula_and_note():
    from opbook.ops import layer_norm, plot

    text = Outline(layer_norm._repr_html_()).text
    assert "layer_norm(x, gamma, beta, [eps=])" in text
    assert "number, 1e-05 by default" in text
    assert r"$$y_i = \gamma_i\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i" in text
    assert "The variance is the biased one: the sum of squares is divided by D" in text
    assert "<em>biased</em>" in layer_norm._repr_html_()
    assert Outline(plot._repr_html_()).text.count("plot(") == 2 + plot.note.count("plot(")
    assert "→nothing" in Outline(plot._repr_html_()).text


def test_what_an_author_wrote_is_no_markup():
    op = made(2)
    op.call_shapes[0].doc = opbook.builtins.docstring.parse("Gives <script>alert(1)</script> for $a < b$ & `x < y`.")
    op.note = "A <b>note</b>, **bold** and [linked](page.md).\n\n- one\n- two"
    source = op._repr_html_()
    found = Outline(source)
    assert "script" not in found.tags
    assert "Gives <script>alert(1)</script> for $a < b$ & x < y." in found.text
    assert "A <b>note</b>, bold and linked." in found.text
    assert '<p style="white-space: pre-wrap">- one\n- two</p>' in source


def test_the_catalogue_is_a_table():
    found = Outline(catalogue.catalogue()._repr_html_())
    assert {"table", "thead", "tbody"} <= found.tags
    assert found.text.count("Statistics & ML") >= 5
    assert "layer_norm" in found.text
