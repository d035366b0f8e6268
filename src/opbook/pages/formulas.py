"""Sets formulas as MathML when a page is built, so that a reader needs no script for them.

It is a Markdown extension, for any generator that uses Python-Markdown. `pymdownx.arithmatex` finds the formulas, and
`math-core` translates them. A formula that it can't read stops the build.
"""

import html
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import math_core
from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor

from opbook.errors import OpbookError
from opbook.examples.example import place

EXTENSION = "opbook.pages.formulas"
"""How `mkdocs.yml` names the extension."""

_ARITHMATEX = "pymdownx.arithmatex"
_FOUND = re.compile(r'(<(div|span) class="arithmatex">)\\([(\[])(.*?)\\[)\]](</\2>)', re.DOTALL)
_LAST = -100
"""Behind everything else that changes the HTML."""

Failed = Callable[[str, str], None]
"""What is called with a formula that can't be set, and the reason."""


class FormulaError(OpbookError, ValueError):
    """A formula that can't be set."""


def mathml(latex: str, is_display: bool = False) -> str:
    """Translate a formula from LaTeX to MathML.

    Args:
        latex: The formula, without what marks it as one.
        is_display: Whether it has lines to itself.

    Raises:
        FormulaError: It is no LaTeX, or has a command that is not known.
    """
    try:
        found: str = math_core.LatexToMathML(fancy_error=False).convert_with_local_state(latex, displaystyle=is_display)
    except math_core.LatexError as error:
        _, _, reason = str(error).partition(": ")  # behind the place in the formula
        raise FormulaError(reason.rstrip(".")) from error
    return found


def formula_place(latex: str, files: Iterable[Path]) -> str:
    """Say where a formula stands, as file and line, or "".

    Args:
        latex: The formula.
        files: Where it may stand: Markdown, or Python, in whose strings a backslash may be doubled.
    """
    first = _bare(next((line for line in latex.splitlines() if line.strip()), ""))
    for path in files:
        if path.is_file():
            for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
                if first and (first in _bare(line) or first in _bare(line.replace(r"\\", "\\"))):
                    return place(path, number)
    return ""


def _bare(text: str) -> str:
    return "".join(text.split())


def _refuse(latex: str, reason: str) -> None:
    raise FormulaError(f"the formula ${latex}$ can't be set: {reason}")


class _Formulas(Postprocessor):
    def __init__(self, md: Markdown, failed: Failed) -> None:
        super().__init__(md)
        self._failed = failed

    def run(self, text: str) -> str:
        return _FOUND.sub(self._set, text)

    def _set(self, found: re.Match[str]) -> str:
        before, _, mark, source, after = found.groups()
        latex = html.unescape(source).strip()
        try:
            return before + mathml(latex, mark == "[") + after
        except FormulaError as error:
            self._failed(latex, str(error))
            return found[0]


class FormulasExtension(Extension):
    """Finds formulas, written as for arithmatex, and sets them."""

    def __init__(self, **options: Any) -> None:
        self.config = {"failed": [_refuse, "What is called with a formula that can't be set, and the reason."]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        """Add itself, and what finds the formulas.

        Args:
            md: What converts the text.
        """
        md.registerExtensions([_ARITHMATEX], {_ARITHMATEX: {"generic": True}})
        md.postprocessors.register(_Formulas(md, self.getConfig("failed")), "opbook_formulas", _LAST)


def makeExtension(**options: Any) -> FormulasExtension:
    """Make the extension, as Python-Markdown asks for it by its name."""
    return FormulasExtension(**options)
