import json
import re

import pytest
from rich.console import Console
from rich.text import Text

SECTIONS = [
    "What it is",
    "Definition",
    "Example",
    "How it works",
    "Inputs and output",
    "More examples",
    "Gradient",
    "Edge cases",
]


def test_show_has_the_parts_of_the_page_in_order(opbook):
    result = opbook("show", "layer_norm")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[2] == "# layer_norm"
    assert "result = layer_norm(x, gamma, beta, [eps=])" in lines
    assert "- `x` (..., D) array: The rows to normalize." in lines
    assert any(line.startswith("- `eps` number, 1e-5 by default: ") for line in lines)
    places = [lines.index(f"## {section}") for section in SECTIONS]
    assert places == sorted(places)
    assert any(line.startswith("- Distribution: `opbook-layer-norm` ") for line in lines)
    path, _, number = lines[-1].rpartition(":")
    assert path.endswith("__init__.py")
    with open(path, encoding="utf-8") as file:
        assert "@builtin" in file.read().splitlines()[int(number) - 1]


def test_show_runs_the_examples_now(opbook, one_file_plugin):
    page = one_file_plugin.with_name("examples.md")
    page.write_text(
        '# Twice\n\nSome text.\n\n```qu\nprint("{twice(21)}")\n```\n\n```output\n42\n```\n', encoding="utf-8"
    )
    result = opbook("show", "twice", "--plugin", one_file_plugin)
    assert result.exit_code == 0
    assert 'Some text.\n\n```qu\nprint("{twice(21)}")\n```\n\n```output\n42\n```\n' in result.stdout
    page.write_text(page.read_text(encoding="utf-8").replace("42", "41"), encoding="utf-8")
    result = opbook("show", "twice", "--plugin", one_file_plugin)
    assert "```output\n42\n```\n" in result.stdout
    assert "-41" in result.stderr


def test_show_draws_figures_as_characters(opbook, one_file_plugin):
    one_file_plugin.with_name("examples.md").write_text(
        '```qu\nbars([1, twice(1)], title = "once and twice")\n```\n', encoding="utf-8"
    )
    result = opbook("show", "twice", "--plugin", one_file_plugin)
    assert re.search(r"^```text\nonce and twice\n0 │█+ 1\n1 │█+ 2$", result.stdout, re.MULTILINE)
    shown = json.loads(opbook("show", "twice", "--json", "--plugin", one_file_plugin).stdout)
    assert shown["examples"][0]["figures"] == [
        {"kind": "Bars", "title": "once and twice", "description": "A bar for each of 2 numbers. 0: 1; 1: 2."}
    ]


def test_show_says_how_it_is_differentiated(opbook):
    lines = opbook("show", "layer_norm").stdout.splitlines()
    gradient = "\n".join(lines[lines.index("## Gradient") : lines.index("## Edge cases")])
    assert "\ndx, dgamma, dbeta = pullback(g)\n" in gradient
    assert "(∂ L)/(∂ x) = 1/s (h - mean(h) - x̂ mean(h x̂))" in gradient
    assert "\\frac" not in gradient


def test_show_as_json(opbook):
    shown = json.loads(opbook("show", "layer_norm", "--json").stdout)
    assert shown["name"] == "layer_norm"
    assert [one["name"] for one in shown["calls"][0]["inputs"]] == ["x", "gamma", "beta", "eps"]
    assert shown["origin"]["distribution"] == "opbook-layer-norm"
    assert "Adding a number to a whole row changes nothing." in shown["properties"]


def test_show_says_what_is_true_of_it(opbook):
    assert (
        "These sentences hold for every input:\n\n- Adding a number to a whole row"
        in opbook("show", "layer_norm").stdout
    )


def test_unknown_builtin_names_the_nearest(opbook):
    result = opbook("show", "layer_nrom")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no builtin layer_nrom. Did you mean layer_norm?" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", [["list"], ["show", "scaled_dot_product_attention"], ["plugins"]])
@pytest.mark.parametrize("no_color", ["", "1"])
def test_a_terminal_of_60_columns_is_not_overrun(opbook, monkeypatch, command, no_color):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(
        "opbook.cli.output.console", lambda: Console(width=60, force_terminal=True, color_system="truecolor")
    )
    result = opbook(*command)
    assert result.exit_code == 0
    lines = [Text.from_ansi(line).plain for line in result.stdout.splitlines()]
    assert max(len(line) for line in lines if not line.startswith("/")) <= 60  # a path stays whole
    colours = re.findall(r"\x1b\[[\d;]*3[0-7][;m]", result.stdout)
    assert bool(colours) is not bool(no_color)


def test_sections_of_plugins_and_examples_of_their_guides(opbook):
    shown = opbook("show", "causal_mask").stdout
    assert "## In other libraries\n\n- NumPy: np.tri(n_queries, dtype=bool)" in shown.replace("**", "").replace("`", "")
    assert "Added by opbook-elsewhere." in shown
    page = json.loads(opbook("show", "multi_head_attention", "--json").stdout)
    assert [section["title"] for section in page["added_sections"]] == ["In other libraries"]
    assert "What a head looks at" in [e["guide"]["title"] for e in page["examples"] if e["guide"]]
