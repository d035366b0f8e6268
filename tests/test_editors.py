"""What colours qu: a Pygments lexer in documentation, a TextMate grammar in editors. They agree on every example."""

import importlib.util
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygments")

from pygments.filters import RaiseOnErrorTokenFilter
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, _TokenType

import opbook
from opbook.cli.scaffold.naming import NOTATION
from opbook.examples import find, pages
from opbook.notation.lexer import CONSTANTS, KEYWORDS, QuLexer

ROOT = Path(__file__).parents[1]
VSCODE = ROOT / "editors" / "vscode"
GRAMMAR = ROOT / "src" / "opbook" / "notation" / "grammar.lark"

EVERYTHING = """\
f(x, y) = if x <= 2 and not (y >= .5 or x == 1e-3) then x' @ y.w .* 2.*x ./ 3 else -x ^ 2 - 1.5E+3 / 4.  # why, "x"
r = {a = [1, 2; 3, 4], b = {c = "t \\"q\\" {{b}} {f(r.a, {d = "in {1} it"}.d)} end"}}; g(k = true, false, inf, nan)
ä1 = x != y < z > w + if_x * truth
"""


def examples() -> list[str]:
    paths = [ROOT / name for name in ("docs", "plugins", "README.md")]
    found = [example.code for page in pages(paths) for example in find(page) if example.language == "qu"]
    assert len(found) > 50
    return [*found, EVERYTHING]


def by_pygments(code: str) -> list[tuple[_TokenType, str]]:
    lexer = QuLexer(stripnl=False, ensurenl=False)
    lexer.add_filter(RaiseOnErrorTokenFilter())  # as Sphinx does
    return [(kind, text) for kind, text in lexer.get_tokens(code) if text.strip()]


# ------------------------------------------------------------------------------------- a small reader of TextMate's

KINDS = {
    "comment": Comment.Single,
    "string": String.Double,
    "constant.character": String.Double,
    "constant.numeric": Number,
    "constant.language": Keyword.Constant,
    "keyword.control": Keyword,
    "keyword.operator": Operator,
    "entity.name.function": Name.Function,
    "variable.other.member": Name.Attribute,
    "variable.other": Name,
    "punctuation.section.embedded": String.Interpol,
    "punctuation": Punctuation,
}


@cache
def grammar() -> dict[str, Any]:
    return json.loads((VSCODE / "syntaxes" / "qu.tmLanguage.json").read_text(encoding="utf-8"))


def rules(patterns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for rule in patterns:
        if "include" in rule:
            yield from rules(grammar()["repository"][rule["include"].removeprefix("#")]["patterns"])
        else:
            yield rule


def by_textmate(code: str) -> list[tuple[str, str]]:
    """Scopes as an editor finds them: line by line, with a stack of rules that have begun."""
    found: list[tuple[str, str]] = []
    stack: list[dict[str, Any]] = [{"patterns": grammar()["patterns"]}]
    for line in code.split("\n"):
        at = 0
        while True:
            top = stack[-1]
            options = [(top["end"], top, True)] if "end" in top else []
            options += [(rule.get("match") or rule["begin"], rule, False) for rule in rules(top["patterns"])]
            matches = [(m.start(), i, m, rule, ends) for i, (regex, rule, ends) in enumerate(options)
                       if (m := re.compile(regex).search(line, at))]  # fmt: skip
            start = min((match[0] for match in matches), default=len(line))
            if line[at:start].strip():
                found.append((top.get("contentName", ""), line[at:start]))
            if not matches:
                break
            _, _, match, rule, ends = min(matches, key=lambda each: each[:2])
            captures = rule.get("endCaptures" if ends else "beginCaptures" if "begin" in rule else "captures", {})
            for group, capture in captures.items() or [("0", {"name": rule.get("name", "")})]:
                if match[int(group)]:
                    found.append((capture["name"], match[int(group)]))
            if ends:
                stack.pop()
            elif "begin" in rule:
                stack.append(rule)
            at = match.end()
    return found


def kind(scope: str) -> _TokenType:
    return next(value for prefix, value in KINDS.items() if scope.startswith(prefix))


def letters(tokens: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Character by character, as one of the two may split what the other leaves whole."""
    return [(what, letter) for what, text in tokens for letter in text if not letter.isspace()]


# ------------------------------------------------------------------------------------------------------------- tests


def test_the_words_are_those_of_the_grammar():
    words = set(re.findall(r'"([a-z]+)"', GRAMMAR.read_text(encoding="utf-8")))
    assert words == {*KEYWORDS, *CONSTANTS} == NOTATION


def test_every_example_is_coloured_without_errors():
    for code in examples():
        assert "".join(text for _, text in QuLexer(stripnl=False, ensurenl=False).get_tokens(code)) == code
        by_pygments(code)


def test_every_kind_of_token_has_its_colour():
    expected = {Comment.Single, String.Double, String.Interpol, Number, Keyword, Keyword.Constant, Name,
                Name.Function, Name.Attribute, Operator, Punctuation}  # fmt: skip
    assert {what for what, _ in by_pygments(EVERYTHING)} == expected


def test_mkdocs_colours_fences():
    markdown = pytest.importorskip("markdown")
    html = markdown.markdown("```qu\ny = f(2)  # two\n```\n", extensions=["pymdownx.superfences"])
    assert '<span class="nf">f</span>' in html
    assert '<span class="c1"># two</span>' in html


def test_the_editor_sees_what_the_documentation_shows():
    for code in examples():
        seen = [(kind(scope), letter) for scope, letter in letters(by_textmate(code))]
        assert seen == letters(by_pygments(code)), code


def test_the_grammars_are_what_their_script_writes():
    spec = importlib.util.spec_from_file_location("make_grammars", ROOT / "editors" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for path, text in make.files().items():
        assert path.read_text(encoding="utf-8") == text, "run python editors/make.py"


def test_the_extension_names_files_that_are_there_and_scopes_that_they_have():
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == opbook.__version__
    (language,) = package["contributes"]["languages"]
    configuration = json.loads((VSCODE / language["configuration"]).read_text(encoding="utf-8"))
    assert configuration["comments"] == {"lineComment": "#"}
    for entry in package["contributes"]["grammars"]:
        found = json.loads((VSCODE / entry["path"]).read_text(encoding="utf-8"))
        assert found["scopeName"] == entry["scopeName"]


@pytest.mark.parametrize("line", ["```qu", "  ~~~qu", "``` qu", '```qu title="one"', "````qu {.wide}"])
def test_a_fence_in_markdown_begins(line):
    fence = json.loads((VSCODE / "syntaxes" / "markdown-qu.tmLanguage.json").read_text(encoding="utf-8"))
    begin = fence["repository"]["fence"]["begin"].replace(r"|\G", "")  # Oniguruma's: where the search began
    assert re.search(begin, line)
    assert not re.search(begin, line.replace("qu", "quit"))
