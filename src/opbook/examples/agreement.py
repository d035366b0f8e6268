"""Whether what an example printed agrees with what its page shows."""

import difflib
import math
import re

PRECISE = 12
"""From this many significant digits on, a number is taken for a full-precision float, whose last digits vary."""

RELATIVE = 1e-9
"""How far two such numbers may lie apart, relative to the larger one."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w|\.\d)")


def disagreement(expected: str, printed: str) -> str | None:
    """Compare a documented output with a printed one.

    Blanks at the ends of lines and blank lines at the end do not count. Numbers are compared by value only where they
    are printed in full precision (12 or more significant digits and a decimal point or an exponent, agreeing to 1e-9 of
    their size) or are zero (`-0` is `0`). Every shorter number must have the same digits, and what stands between
    numbers must be the same text. Where a number differs in that harmless way, the blanks that NumPy pads columns with
    may differ too.

    Returns:
        None if they agree, otherwise how they differ.
    """
    documented, actual = _lines(expected), _lines(printed)
    if documented == actual or _agree(documented, actual):
        return None
    diff = difflib.unified_diff(documented, actual, "documented", "printed", lineterm="", n=1)
    return "\n".join(["the output differs from what is documented.", *diff])


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _agree(expected: list[str], printed: list[str]) -> bool:
    if len(expected) != len(printed):
        return False
    pairs = [(_NUMBER.findall(line), _NUMBER.findall(other)) for line, other in zip(expected, printed, strict=True)]
    if any(len(left) != len(right) for left, right in pairs):
        return False
    numbers = [pair for left, right in pairs for pair in zip(left, right, strict=True)]
    if not all(_same_number(left, right) for left, right in numbers):
        return False
    # Padding may have moved only because a number changed its width.
    loose = any(left != right for left, right in numbers)
    return loose and all(_between(line) == _between(other) for line, other in zip(expected, printed, strict=True))


def _same_number(expected: str, printed: str) -> bool:
    if expected == printed:
        return True
    if _digits(expected) >= PRECISE or _digits(printed) >= PRECISE:
        return math.isclose(float(expected), float(printed), rel_tol=RELATIVE, abs_tol=0.0)
    unsigned = expected.lstrip("+-")
    return unsigned == printed.lstrip("+-") and float(expected) == 0


def _digits(number: str) -> int:
    """Count the significant digits of a float; an integer is exact and has none that could be noise."""
    if number.lstrip("+-").isdigit():
        return 0
    mantissa = re.split("[eE]", number)[0]
    return len(re.sub(r"\D", "", mantissa).lstrip("0"))


def _between(line: str) -> list[str]:
    """Give the text around the numbers of a line, with every run of blanks made one and those behind `[` dropped."""
    return [re.sub(r"(?<=\[) ", "", re.sub(r"\s+", " ", text)) for text in _NUMBER.split(line)]
