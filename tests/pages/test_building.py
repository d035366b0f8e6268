import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from opbook import examples, pages
from opbook.errors import UnknownBuiltinError
from opbook.pages.page import EdgeCase
from opbook.pages.rendering import render
from opbook.plugins.catalogue import Catalogue, catalogue

Write = Callable[[str, str], Path]

ALL = """
    ```qu
    say(double([1]))
    say(pick(2))
    ```

    ```output
    [2.]
    2.0
    ```
"""


def guide(path: Path) -> pages.Guide:
    return pages.Guide(path, path.name, "A guide")


def test_a_page_says_what_the_source_says(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    page = pages.build_one("double", ops).pages["double"]

    assert (page.name, page.category, page.aliases) == ("double", "Arrays & more", ("twice",))
    assert page.summary == "Doubles every entry."
    assert page.description == "As often as asked."
    assert page.note == "Twice x, because $x + x = 2x$.\n\nA second paragraph, beside [`pick`](pick.md)."
    assert page.sections == {
        "Raises": "ShapeError: mask does not fit.",
        "Formula": "$$2x$$",
        "Source": "Arithmetic.",
    }
    assert "not overloaded" in page.overloads

    (call,) = page.calls
    assert call.text == "result = double(x, [times=], [mask=], [eps=])"
    assert [(i.name, i.shape, i.optional, i.default, i.description) for i in call.inputs] == [
        ("x", "(..., D) array", False, "", "The entries, on two lines."),
        ("times", "integer", True, "1", "How often."),
        ("mask", "0/1 mask that broadcasts against (..., D)", True, "", ""),
        ("eps", "number", True, "1e-5", ""),
    ]
    assert (call.output.shape, call.output.description) == ("(..., D) array", "An array of x's shape.")

    origin = page.origin
    lines = origin.path.read_text().splitlines()
    assert lines[origin.line - 1].startswith("@builtin")
    assert lines[origin.line].startswith("def double(")
    assert origin.file == origin.path.name
    assert origin.code.startswith("def double(x, times=1, *, mask=None, eps=1e-5):\n    if times < 0:")
    assert "Doubles every entry" not in origin.code, "what the docstring says stands elsewhere on the page"
    assert origin.code.endswith("    return x * 2.0**times")
    assert origin.rule.startswith("@double.defvjp\n")
    assert origin.distribution == ""


def test_what_the_note_says_of_the_gradient_stands_with_the_gradient(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    gradient = pages.build_one("double", ops).pages["double"].gradient
    assert gradient.note == "It is twice the cotangent.\n\nAs often as it was doubled."
    assert gradient.call == "value, pullback = vjp(double, x)\n(dx,) = pullback(g)"
    assert "The gradient of `x` has the shape of the argument." in gradient.words
    nothing = pages.build_one("say", ops).pages["say"].gradient
    assert (nothing.call, nothing.note) == ("", "")
    assert "nothing to differentiate" in nothing.words
    records = pages.build_one("pick", ops).pages["pick"].gradient
    assert records.call.endswith("dheads, dhead = pullback(g)")
    assert "the tape differentiates the definition" in records.words


def test_edge_cases_say_what_is_answered_and_what_is_refused_with_its_message(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    edges = pages.build_one("double", ops).pages["double"].edges
    assert edges.answered == (EdgeCase("an infinity", "double([inf])", "[inf]", ""),)
    (refusal,) = edges.refused
    assert (refusal.label, refusal.error) == ("a negative count", "InputError")
    assert refusal.message == "double: times must be at least 0, but is -1"
    assert edges.raises == (("ShapeError", "mask does not fit."),)


def test_builtins_know_what_they_are_made_of(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    book = pages.build(ops)
    assert (book.pages["pick"].uses, book.pages["pick"].used_by) == (("double",), ())
    assert (book.pages["double"].uses, book.pages["double"].used_by) == ((), ("pick",))


def test_a_builtin_without_a_note_is_a_failure_at_its_definition(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    ops.load_samples()  # which the build does otherwise, and with it the builtins of this catalogue are made anew
    vars(ops["pick"])["note"] = ""
    (failure,) = pages.build(ops).failures
    assert failure.startswith(f"{Path(ops['pick'].source_file).name}:{ops['pick'].source_line}: pick has no note")
    assert "comment block" in failure


@pytest.mark.parametrize(
    ("only", "shown"),
    [
        (["double"], ["double"]),
        (["text"], ["say"]),
        (["ops"], ["double", "pick", "say"]),
        (["say", "pick"], ["pick", "say"]),
    ],
)
def test_a_book_can_have_some_builtins_only(ops: Catalogue, write: Write, only: list[str], shown: list[str]) -> None:
    write("examples.md", ALL)
    plugin = ops.plugins[0].source.name
    book = pages.build(ops, only=[plugin if word == "ops" else word for word in only])
    assert list(book.pages) == shown
    assert not book.failures


def test_with_only_some_builtins_only_their_examples_are_run(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL + "\n    ```qu\n    say(nonsense)\n    ```\n")
    assert not pages.build(ops, only=["double"]).failures
    assert pages.build(ops, only=["say"]).failures


def test_an_unknown_word_in_only_is_an_error(ops: Catalogue) -> None:
    with pytest.raises(UnknownBuiltinError, match="Did you mean double"):
        pages.build(ops, only=["doubel"])


def test_records_are_described_field_by_field(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    page = pages.build_one("pick", ops).pages["pick"]
    assert [call.text for call in page.calls] == ["result = pick(heads, head, [n=])", "result = pick(n)"]
    assert "2 ways" in page.overloads
    heads, head, n = page.calls[0].inputs
    assert heads.shape == "tuple of any number of records"
    assert [(f.path, f.shape) for f in heads.fields] == [
        ("heads[i].wq", "(D, K) matrix"),
        ("heads[i].wo", "(K, D) matrix"),
    ]
    assert (head.shape, [f.path for f in head.fields]) == ("record", ["head.wq", "head.wo"])
    assert (n.shape, n.optional, n.fields) == ("integer", True, ())


def test_a_call_that_returns_nothing_has_no_result(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    (call,) = pages.build_one("say", ops).pages["say"].calls
    assert (call.text, call.output.name) == ("say(value)", "")


def test_examples_stand_together_by_what_their_author_says_that_they_show(ops: Catalogue, write: Write) -> None:
    headings = ("", "## One { .picture }", "## Two", "## Three { .options }", "## Four { .picture }")
    fences = (
        f"{heading}\n\n```qu\nsay(double({i}))\n```\n\n```output\n{2.0 * i}\n```" for i, heading in enumerate(headings)
    )
    write("examples.md", "\n\n".join(fences))
    page = pages.build_one("double", ops).pages["double"]
    found = {kind: [group.heading for group in groups] for kind, groups in page.more.items()}
    assert list(found.items()) == [("basic", ["Two"]), ("options", ["Three"]), ("picture", ["One", "Four"])]
    text = render(pages.Book({"double": page})).pages["builtins/double.md"]
    assert text.index("### Basics { #examples-basic") < text.index("### Options") < text.index("### Pictures")


def test_examples_are_shown_in_the_order_of_their_author(ops: Catalogue, write: Write) -> None:
    page = write(
        "examples.md",
        """
        ```qu
        x = [1, 2]
        y = double(x)
        say(y)
        ```

        ```output
        [2. 4.]
        ```

        <!-- example: raises -->
        ```qu
        double()
        ```

        ## Short

        It takes
        one line.

        ```qu
        say(double([1]))
        ```

        ```output
        [2.]
        ```
        """,
    )
    examples.update([page], ops)  # writes the message of the mistake
    book = pages.build_one("double", ops)
    assert not book.failures
    shown = book.pages["double"].examples
    assert [example.code.splitlines()[0] for example in shown] == ["x = [1, 2]", "double()", "say(double([1]))"]
    assert shown[2].output == "[2.]\n"
    assert shown[2].place.startswith("examples.md:")
    *_, group = book.pages["double"].groups
    assert (group.heading, group.anchor) == ("Short", "example-short")
    assert [part.text for part in group.parts] == ["It takes\none line."]


def test_an_example_is_shown_with_what_it_continues_but_not_twice(ops: Catalogue, write: Write) -> None:
    write(
        "examples.md",
        """
        ```qu
        x = [1]
        say(x)
        ```

        ```output
        [1.]
        ```

        <!-- example: continue -->
        ```qu
        y = double(x)
        say(y)
        ```

        ```output
        [2.]
        ```

        <!-- example: continue -->
        ```qu
        say(double(y))
        ```

        ```output
        [4.]
        ```
        """,
    )
    (example,) = pages.build_one("double", ops).pages["double"].examples
    assert example.code == "x = [1]\nsay(x)\n\ny = double(x)\nsay(y)\n"
    assert example.output == "[1.]\n[2.]\n"


def test_guides_give_one_example_each_and_links_for_the_rest(ops: Catalogue, write: Write) -> None:
    def text(n: int) -> str:
        return f"```qu\nsay(double([{n}]))\n```\n\n```output\n[{2 * n}.]\n```\n"

    def learning(i: int) -> pages.Guide:
        return pages.Guide(write(f"guide{i}.md", text(i) + "\n" + text(10 + i)), f"learn/guide{i}.md", "A guide")

    page = pages.build_one("double", ops, map(learning, range(6))).pages["double"]
    assert [example.guide.uri for example in page.examples if example.guide] == [f"learn/guide{i}.md" for i in range(4)]
    assert [example.output for example in page.examples] == ["[0.]\n", "[2.]\n", "[4.]\n", "[6.]\n"]
    assert [other.uri for other in page.elsewhere] == ["learn/guide4.md", "learn/guide5.md"]


def test_only_guides_that_teach_a_builtin_show_its_page_an_example(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    about_ci = pages.Guide(write("ci.md", "# Test in CI\n\n" + ALL), "howto/ci.md", "Test in CI")
    about_it = pages.Guide(write("pick.md", "# Who uses pick\n\n" + ALL), "howto/pick.md", "Who uses pick")
    book = pages.build(ops, [about_ci, about_it])
    of_guides = {name: [e.guide.title for e in page.examples if e.guide] for name, page in book.pages.items()}
    assert of_guides == {"double": [], "pick": ["Who uses pick"], "say": []}
    assert [guide.title for guide in book.pages["pick"].elsewhere] == ["Test in CI"]


def test_a_guide_that_does_not_speak_of_a_builtin_is_an_aside(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    text = "# Twice\n\nHere is what `double` does, in [the end](../ops.md).\n\n" + textwrap.dedent(ALL)
    guide = pages.Guide(write("twice.md", text), "learn/twice.md", "Twice")
    book = pages.build(ops, [guide])
    asides = {name: page.groups[-1].is_aside for name, page in book.pages.items()}
    assert asides == {"double": False, "pick": True, "say": True}
    assert book.pages["double"].groups[-1].parts[0].text.startswith("Here is what")


def test_what_a_text_is_about_goes_before_what_is_merely_called(ops: Catalogue, write: Write) -> None:
    fence = "```qu\nsay(double([{}]))\n```\n\n```output\n[{}.]\n```\n\n"
    write("examples.md", "## Printing\n\n`say` prints.\n\n" + fence.format(1, 2) + "## Other\n\n" + fence.format(2, 4))
    book = pages.build(ops, only=["say", "double"])
    headings = {name: [group.heading for group in page.groups] for name, page in book.pages.items()}
    assert headings == {"say": ["Printing", "Other"], "double": ["Other"]}


def test_skipped_examples_say_why(ops: Catalogue, write: Write) -> None:
    write("examples.md", "<!-- example: skip, needs a GPU -->\n```qu\nsay(double([1]))\n```\n")
    (example,) = pages.build_one("double", ops).pages["double"].examples
    assert (example.output, example.skipped) == ("", "needs a GPU")


def test_a_different_output_is_a_failure_with_its_line(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL.replace("[2.]", "[5.]"))
    book = pages.build(ops)
    (failure,) = book.failures
    assert failure.startswith("examples.md:1: ")
    assert "-[5.]" in failure
    assert "+[2.]" in failure
    assert "opbook examples --update examples.md" in failure
    assert book.pages["double"].examples[0].output == "[2.]\n2.0\n", "what was computed is shown, not what was written"


def test_an_example_that_raises_is_a_failure_with_the_line_in_it(ops: Catalogue, write: Write) -> None:
    write("examples.md", textwrap.dedent(ALL).lstrip() + "\n```qu\nsay(1)\nsay(nonsense)\n```\n")
    (failure,) = pages.build(ops).failures
    assert failure.startswith("examples.md:13: ")
    assert "nonsense" in failure


def test_a_guide_with_a_fence_that_escapes_is_a_failure(ops: Catalogue, write: Write) -> None:
    write("examples.md", ALL)
    bad = write("guide.md", "# Guide\n\n```pyhton\n1 / 0\n```\n")
    (failure,) = pages.build(ops, [guide(bad)]).failures
    assert failure.startswith("guide.md:3: ")
    assert "pyhton" in failure


def test_a_builtin_without_an_example_is_a_failure_at_its_definition(ops: Catalogue, write: Write) -> None:
    write("examples.md", "```qu\nsay(double([1]))\n```\n\n```output\n[2.]\n```\n")
    (failure,) = pages.build(ops).failures
    origin = pages.build_one("pick", ops).pages["pick"].origin
    assert failure.startswith(f"{origin.path.name}:{origin.line}: pick has no example")
    assert "examples.md" in failure


def test_a_guide_can_be_the_only_example(ops: Catalogue, write: Write) -> None:
    book = pages.build(ops, [guide(write("guide.md", ALL))])
    assert not book.failures
    assert all(page.examples[0].guide for page in book.pages.values())


def test_an_unknown_builtin(ops: Catalogue) -> None:
    with pytest.raises(UnknownBuiltinError, match="double"):
        pages.build_one("doubel", ops)


def test_titles_of_guides(write: Write, tmp_path: Path) -> None:
    texts = {
        "a/front.md": "---\ntitle: 'From the front'\n---\n# Heading\n",
        "b/heading.md": "Text.\n\n# The heading { #id } \n",
        "b/only-a-name.md": "Text.\n",
    }
    paths = [write(name, text) for name, text in reversed(texts.items())]
    assert [(g.uri, g.title) for g in pages.read_guides(tmp_path, paths)] == [
        ("a/front.md", "From the front"),
        ("b/heading.md", "The heading"),
        ("b/only-a-name.md", "Only a name"),
    ]


def test_what_has_opbooks_own_authors_is_ours() -> None:
    assert pages.build(catalogue(), only=["softmax"]).pages["softmax"].origin.mark == ""
