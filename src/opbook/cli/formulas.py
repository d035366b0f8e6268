"""Formulas for a terminal: LaTeX as a line of text that one can read."""

import re

_SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε", "eta": "η", "theta": "θ",
    "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "Phi": "Φ", "omega": "ω",
    "sum": "Σ", "prod": "Π", "int": "∫", "partial": "∂", "nabla": "∇", "infty": "∞", "sqrt": "√",
    "cdot": "·", "times": "×", "odot": "⊙", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠",
    "approx": "≈", "in": "∈", "to": "→", "mapsto": "↦", "top": "ᵀ", "ldots": "…", "cdots": "…", "dots": "…",
    "quad": "  ", "qquad": "   ", "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "",
    "Bigl": "", "Bigr": "", "textstyle": "", "circ": "∘",
    "lVert": "‖", "rVert": "‖", "langle": "⟨", "rangle": "⟩", "ell": "ℓ", "min": "min", "max": "max",
    "log": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tanh": "tanh",
}  # fmt: skip
_BESIDE = re.compile(r"\\operatorname\*?\{\w+\}(?=\s*(?:\w|\\(?!left|big|Big)))")
"""A function before its argument without brackets."""

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_FRACTION = re.compile(rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}")
_ROOT = re.compile(rf"\\sqrt\s*{_GROUP}")
_MEAN = re.compile(rf"\\(?:overline|bar)\s*(?:{_GROUP}|(\w))")
_HAT = re.compile(r"\\(?:hat|widehat)\s*\{?(\w)\}?")
_WORDS = re.compile(rf"\\(?:mathrm|mathbf|mathcal|operatorname\*?|text|textrm|texttt)(?![A-Za-z])\s*(?:{_GROUP}|(\w))")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+)\}")
_BRACKETS = {"bmatrix": "[]", "pmatrix": "()", "cases": "{}"}


def readable(text: str) -> str:
    """Write the formulas in a text so that they can be read as they are.

    Returns:
        The same with Greek letters and signs for commands, `(a)/(b)` for fractions, and no dollars. What it does not
        know stays as it is.
    """
    return FORMULA.sub(lambda found: _line(found[1] or found[2]), text)


def _line(latex: str) -> str:
    latex = _BESIDE.sub(r"\g<0> ", latex.replace(r"\!", ""))
    latex = re.sub(r",?\s*\\\\", ";", latex)  # the end of a row
    latex = _ENVIRONMENT.sub(lambda found: _BRACKETS.get(found[2], "  ")[found[1] == "end"], latex)
    for _ in range(6):  # what is inside comes first
        latex = _WORDS.sub(lambda found: found[1] or found[2], latex)
        latex = _MEAN.sub(lambda found: f"mean({found[1] or found[2]})", latex)
        latex = _ROOT.sub(r"√(\1)", latex)
        latex = _FRACTION.sub(lambda found: f" {_bracketed(found[1])}/{_bracketed(found[2])} ", latex)
    latex = _HAT.sub("\\1\u0302", latex)
    latex = re.sub(r"\\([A-Za-z]+)", lambda found: _SYMBOLS.get(found[1], found[0]), latex)
    latex = re.sub(r"\\[,;:! ]", " ", latex).replace("&", "").replace(r"\|", "‖")
    latex = re.sub(r"([_^])\{(\w|\\?.)\}", r"\1\2", latex)
    latex = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", latex)
    latex = " ".join(latex.replace(r"\{", "{").replace(r"\}", "}").split())
    return re.sub(r"(?<=\() | (?=[),.])", "", latex).replace("^ᵀ", "ᵀ")


def _bracketed(latex: str) -> str:
    inner = latex.strip()
    return inner if re.fullmatch(r"\\?\w+", inner) else f"({inner})"
