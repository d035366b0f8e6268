"""Counts the animals of the zoo, for the page on what a green check proves.

python tests/zoo/census.py      writes the counts into docs/explanation/verification.md
"""

import sys
from collections import Counter
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "verification.md"
BEGIN, END = "<!-- the zoo, counted by tests/zoo/census.py -->\n\n", "\n<!-- the end of the zoo -->"


def census() -> str:
    """Count the animals of each op, as a table in Markdown."""
    from zoo.animals import animals

    right, wrong = (Counter(a.op for a in animals() if a.is_right is is_right) for is_right in (True, False))
    rows = [f"| {op} | {wrong[op]} | {right[op]} |" for op in sorted(wrong)]
    total = f"| **all** | {wrong.total()} | {right.total()} |"
    return "\n".join(["| op | wrong | right |", "| --- | --- | --- |", *rows, total]) + "\n"


def shown() -> str:
    """The table that the page has."""
    return PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(shown(), census()), encoding="utf-8")
