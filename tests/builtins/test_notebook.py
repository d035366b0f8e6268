"""Builtins in a session: registered, replaced, and shown in a notebook."""

import re
from html import escape

import pytest
from markdown_it import MarkdownIt

import opbook
from opbook import Array, Builtin, builtin, register
from opbook.builtins import docstring
from opbook.errors import ArgumentError, BuiltinImportError, PluginError
from opbook.notation import Session
from opbook.plugins import catalogue
from opbook.plugins import discovery as plugins
from opbook.testing import check


@pytest.fixture(autouse=True)
def session(own_process, monkeypatch):
    """A catalogue of its own, so that nothing that is registered stays."""
    monkeypatch.setenv("OPBOOK_PLUGINS", "")


def made(factor: float, name: str = "scaled") -> Builtin:
    def definition(x: Array["..."]) -> Array["..."]:
        return factor * x

    definition.__name__ = name
    definition.__doc__ = f"Multiplies by {factor}."
    return builtin(category="Session")(definition)


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

    assert layer_norm.category == "Normalization"


@pytest.mark.parametrize(
    ("thing", "words"),
    [(lambda x: x, 'decorate it with @builtin(category="...") first'), (3, "register takes a builtin, but got 3")],
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


def shown(markdown: str) -> str:
    """The HTML that a notebook makes of Markdown, its formulas aside: with tables, and with tags let through."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


def test_every_builtin_has_its_call_and_its_arguments():
    for op in catalogue.catalogue().values():
        page = shown(op._repr_markdown_())
        assert f"<p><strong>{op.name}</strong>" in page
        assert page.count("<table>") == page.count("<pre>") - op.note.count("```") // 2 == len(op.call_shapes)
        for shape in op.call_shapes:
            assert f"<pre><code>{escape(str(shape))}\n</code></pre>" in page


def test_a_builtin_shows_its_shapes_formula_and_note():
    from opbook.ops import layer_norm, plot

    markdown = layer_norm._repr_markdown_()
    page = shown(markdown)
    assert "<pre><code>layer_norm(x, gamma, beta, [eps=])" in page
    assert "<td>number, 1e-05 by default</td>" in page
    assert r"y_i = \gamma_i\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta_i" in markdown
    assert "The variance is the <em>biased</em> one" in page
    assert "<td>nothing</td>" in shown(plot._repr_markdown_())


def test_what_an_author_wrote_is_no_markup():
    op = made(2)
    op.call_shapes[0].doc = docstring.parse("Gives <script>alert(1)</script> for $a < b$ & `x < y`, a|b.")
    op.note = "A <b>note</b>, **bold** and [linked](page.md).\n\n- one\n- two `<i>`\n\n``a ` <u>``"
    page = shown(op._repr_markdown_())
    assert not set(re.findall(r"<(\w+)", page)) & {"script", "b", "i", "u", "a"}
    assert "Gives &lt;script&gt;alert(1)&lt;/script&gt; for $a &lt; b$ &amp; <code>x &lt; y</code>, a|b." in page
    assert "A &lt;b&gt;note&lt;/b&gt;, <strong>bold</strong> and linked." in page
    assert "<li>two <code>&lt;i&gt;</code></li>" in page


def test_the_catalogue_is_a_table():
    page = shown(catalogue.catalogue()._repr_markdown_())
    assert page.count("<tr>") == 1 + len(catalogue.catalogue())
    assert "<td><code>layer_norm</code></td>\n<td>Normalization</td>" in page
