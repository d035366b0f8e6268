"""The line that opens a fence: which language it names, and whether it is spelled as every renderer reads it.

What is accepted beside the plain spelling is what `pymdownx.superfences` renders as code: a blank or a dot before the
language, options (`title="x" hl_lines="1"`), and an attribute list (`{.python title="x"}`). The language itself has one
spelling: `Python`, `py` or `python3` would be run by some tools, highlighted by others and left alone by the rest.
"""

import re

from opbook.errors import nearest

RUN = ("qu", "python")
OUTPUT = "output"
SHOWN = (
    *("bash", "console", "css", "diff", "ebnf", "html", "ini", "javascript", "json", "markdown"),
    *("powershell", "text", "toml", "xml", "yaml"),
)

_SAME = {
    "python": ("py", "py3", "python3", "pycon", "ipython", "ipython3", "pyi", "pyodide"),
    "qu": ("opbook",),
    "output": ("out", "outputs", "result", "stdout"),
    "text": ("txt", "plain", "plaintext", "none"),
    "bash": ("sh", "shell", "zsh"),
    "markdown": ("md",),
    "yaml": ("yml",),
    "javascript": ("js",),
    "powershell": ("ps1", "pwsh"),
}
_SPELLINGS = {spelling: language for language, spellings in _SAME.items() for spelling in spellings}

_OPTION = re.compile(r"""([a-zA-Z][a-zA-Z0-9_]*)(?:=(["'])(.*?)\2)?(?=[ \t]|$)""")
_INFO = re.compile(
    r"""
    (?:[ \t]*\.?(?P<language>[\w#.+-]+)(?=[ \t]|$))?
    (?:[ \t]*\{(?P<attributes>[^\n]*)\}
      |(?P<options>(?:[ \t]*[a-zA-Z][a-zA-Z0-9_]*(?:=(?P<quote>["']).*?(?P=quote))?(?=[ \t]|$))+)
    )?[ \t]*
    """,
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"""[^ =}]+=".*?"|[^ =}]+='.*?'|[^ =}]+=[^ =}]+|[^ =}]+""")
_OPTION_VALUES = {
    "title": re.compile(r".*"),
    "title_mode": re.compile(r".*"),
    "hl_lines": re.compile(r"\d+(?:-\d+)?(?:[ \t]+\d+(?:-\d+)?)*"),
    "linenums": re.compile(r"\d+.*"),
}


def is_info(text: str) -> bool:
    """Tell whether a renderer would take a text behind three backticks for the opening line of a fence."""
    return _INFO.fullmatch(text) is not None


def language(info: str) -> str:
    """Read the language of a fence.

    Args:
        info: What stands behind the backticks or tildes of the opening line.

    Raises:
        ValueError: The line is not one that every renderer reads as this language; the message says what to write.
    """
    match = _INFO.fullmatch(info)
    if match is None:
        raise ValueError(f"cannot read {info.strip()!r} behind the fence.{_advice(info)}")
    name = match["language"] or _first_class(match["attributes"] or "")
    if not name:
        raise ValueError(f"the fence names no language.{_advice(info)}")
    if name not in RUN and name != OUTPUT and name not in SHOWN:
        raise ValueError(f"{name!r} is not a language that examples are run in or pages show.{_advice(name)}")
    for option in _OPTION.finditer(match["options"] or ""):
        _check_option(option[1], option[3])
    return name


def _first_class(attributes: str) -> str:
    words = _ATTRIBUTE.findall(attributes.replace("\t", " "))
    return next((word[1:] for word in words if word.startswith(".")), "")


def _check_option(key: str, value: str | None) -> None:
    if key not in _OPTION_VALUES:
        raise ValueError(f"a fence has no option {key!r}: with it, the page shows no code block.{_near_option(key)}")
    if value is None:
        raise ValueError(f'the fence\'s option {key} needs a value, as in {key}="1".')
    if not _OPTION_VALUES[key].fullmatch(value):
        raise ValueError(f"the fence's option {key} cannot be {value!r}: with it, the page shows no code block.")


def _near_option(key: str) -> str:
    return nearest(key, _OPTION_VALUES) or f" The options are {', '.join(_OPTION_VALUES)}."


def _advice(text: str) -> str:
    """Say what to write instead of a language or a whole info text that could not be read."""
    known = (*RUN, OUTPUT, *SHOWN)
    found = re.search(r"[a-z]\w*", text.lower())
    word = found[0] if found else ""
    right = word if word in known else _SPELLINGS.get(word)
    if right:
        return f" Write ```{right}."
    return nearest(word, known) or f" Use ```text, or one of: {', '.join(known)}."
