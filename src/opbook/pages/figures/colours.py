"""The colours of a figure: numbers for Matplotlib to draw with, which become the page's own colours afterwards.

So a figure follows the page from light to dark. The style sheet says what the variables are; the fallbacks are for
pages without it.
"""

INK, LINE, HOT, COLD = "#010101", "#020202", "#030303", "#040404"
SERIES = tuple(f"#05050{i}" for i in range(1, 7))

ON_PAGE = {
    INK: "currentColor",
    LINE: "var(--ob-line,#8884)",
    HOT: "var(--ob-hot,#4f9a92)",
    COLD: "var(--ob-cold,#d08a5f)",
    **{colour: f"var(--ob-series-{i},currentColor)" for i, colour in enumerate(SERIES, 1)},
}
"""What stands on a page in the place of each."""

DASHES = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)))
"""Lines differ in more than their colours."""
