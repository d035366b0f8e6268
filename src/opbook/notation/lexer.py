"""A Pygments lexer for the qu notation, so that documentation tools can colour ```` ```qu ```` fences."""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

# What the notation is made of, as regular expressions that Oniguruma reads too: editors/make.py uses them.
KEYWORDS = ("if", "then", "else", "and", "or", "not")
CONSTANTS = ("true", "false", "inf", "nan")
NUMBER = r"(?:\d+(?:\.(?![*/^])\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
NAME = r"[^\W\d]\w*"
OPERATOR = r"<=|>=|==|!=|\.\*|\./|[-+*/^@'<>=]"
PUNCTUATION = r"[\[\](),;.]"

_CODE: Any = [
    (r"\{", Punctuation, "braces"),
    (r"\s+", Whitespace),
    (r"#[^\n]*", Comment.Single),
    (r'"', String.Double, "text"),
    (NUMBER, Number),
    (words(KEYWORDS, suffix=r"\b"), Keyword),
    (words(CONSTANTS, suffix=r"\b"), Keyword.Constant),
    (rf"{NAME}(?=\()", Name.Function),
    (rf"(\.)({NAME})", bygroups(Punctuation, Name.Attribute)),
    (NAME, Name),
    (OPERATOR, Operator),
    (PUNCTUATION, Punctuation),
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
