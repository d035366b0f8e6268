"""A Pygments lexer for the qu notation, so that documentation tools can colour ```` ```qu ```` fences."""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

_CODE: Any = [
    (r"\{", Punctuation, "braces"),
    (r"\s+", Whitespace),
    (r"#[^\n]*", Comment.Single),
    (r'"', String.Double, "text"),
    (r"(?:\d+(?:\.(?![*/^])\d*)?|\.\d+)(?:[eE][+-]?\d+)?", Number),
    (words(("if", "then", "else", "and", "or", "not"), suffix=r"\b"), Keyword),
    (words(("true", "false", "inf", "nan"), suffix=r"\b"), Keyword.Constant),
    (r"[^\W\d]\w*(?=\()", Name.Function),
    (r"(\.)([^\W\d]\w*)", bygroups(Punctuation, Name.Attribute)),
    (r"[^\W\d]\w*", Name),
    (r"<=|>=|==|!=|\.\*|\./|[-+*/^@'<>=]", Operator),
    (r"[\[\](),;.]", Punctuation),
    (r".", Text),
]


class QuLexer(RegexLexer):
    """Colours programs in the qu notation."""

    name = "qu"
    aliases: ClassVar = ["qu"]
    filenames: ClassVar = ["*.qu"]
    url = ""

    tokens: ClassVar = {
        "root": _CODE,
        "braces": [(r"\}", Punctuation, "#pop"), *_CODE],
        "text": [
            (r'[^"\\{\n]+|\\[^\n]|\{\{', String.Double),
            (r"\{", String.Interpol, "expression"),
            (r'"', String.Double, "#pop"),
            (r"\n", Whitespace, "#pop"),
        ],
        "expression": [(r"\}", String.Interpol, "#pop"), *_CODE],
    }
