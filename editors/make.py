"""Writes the TextMate grammars of the qu notation, from the words of its Pygments lexer.

    python editors/make.py

tests/test_editors.py holds the files to what this writes.
"""

import json
from pathlib import Path
from typing import Any

from opbook.notation.lexer import CONSTANTS, KEYWORDS, NAME, NUMBER, OPERATOR, PUNCTUATION

SYNTAXES = Path(__file__).parent / "vscode" / "syntaxes"


def _word(words: tuple[str, ...]) -> str:
    return rf"(?:{'|'.join(words)})\b"


def _one(scope: str, match: str) -> dict[str, Any]:
    return {"name": f"{scope}.qu", "match": match}


def _between(begin: str, end: str, scope: str, inner: str) -> dict[str, Any]:
    marks = {"0": {"name": f"{scope}.qu"}}
    return {
        "begin": begin,
        "end": end,
        "beginCaptures": marks,
        "endCaptures": marks,
        "patterns": [{"include": f"#{inner}"}],
    }


def notation() -> dict[str, Any]:
    """The grammar of programs."""
    member = {
        "match": rf"(\.)({NAME})",
        "captures": {"1": {"name": "punctuation.accessor.qu"}, "2": {"name": "variable.other.member.qu"}},
    }
    text = {
        **_between('"', '"|$', "string.quoted.double", "in-text"),
        "contentName": "string.quoted.double.qu",
    }
    # in the order of the lexer: the first that matches at a place is taken
    code = [
        _between(r"\{", r"\}", "punctuation.section.braces", "code"),
        _one("comment.line.number-sign", r"#.*$"),
        text,
        _one("constant.numeric", NUMBER),
        _one("keyword.control", _word(KEYWORDS)),
        _one("constant.language", _word(CONSTANTS)),
        _one("entity.name.function", rf"{NAME}(?=\()"),
        member,
        _one("variable.other", NAME),
        _one("keyword.operator", OPERATOR),
        _one("punctuation.separator", PUNCTUATION),
    ]
    in_text = [
        _one("constant.character.escape", r"\\.|\{\{"),
        {
            **_between(r"\{", r"\}", "punctuation.section.embedded", "code"),
            "contentName": "meta.embedded.expression.qu",
        },
    ]
    return {
        "name": "qu",
        "scopeName": "source.qu",
        "fileTypes": ["qu"],
        "patterns": [{"include": "#code"}],
        "repository": {"code": {"patterns": code}, "in-text": {"patterns": in_text}},
    }


def in_markdown() -> dict[str, Any]:
    """What colours fences of `qu` in Markdown."""
    fence = {
        "name": "markup.fenced_code.block.markdown",
        "begin": r"(^|\G)(\s*)(`{3,}|~{3,})\s*(?:qu)((\s+|:|,|\{)[^`]*)?$",
        "end": r"(^|\G)(\2|\s{0,3})(\3)\s*$",
        "beginCaptures": {"3": {"name": "punctuation.definition.markdown"}},
        "endCaptures": {"3": {"name": "punctuation.definition.markdown"}},
        "patterns": [
            {
                "begin": r"(^|\G)(\s*)(.*)",
                "while": r"(^|\G)(?!\s*([`~]{3,})\s*$)",
                "contentName": "meta.embedded.block.qu",
                "patterns": [{"include": "source.qu"}],
            }
        ],
    }
    return {
        "scopeName": "markdown.qu.codeblock",
        "injectionSelector": "L:text.html.markdown",
        "patterns": [{"include": "#fence"}],
        "repository": {"fence": fence},
    }


def files() -> dict[Path, str]:
    """Each file with its text."""
    grammars = {"qu.tmLanguage.json": notation(), "markdown-qu.tmLanguage.json": in_markdown()}
    return {SYNTAXES / name: json.dumps(grammar, indent=2) + "\n" for name, grammar in grammars.items()}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
