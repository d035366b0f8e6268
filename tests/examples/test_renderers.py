"""Whatever two renderers show as a Python fence is collected or refused: random pages, checked against both."""

import random
import re

import pytest

from opbook.errors import ExampleError
from opbook.examples import find

PREFIXES = ["", "", "", "    ", "> ", "> ", ">     ", "    > ", "\t", "  ", "        "]
OPENINGS = [
    *("```python", "~~~python", "````python", '```python title="x"', "``` {.python}", "``` python", "``` .python"),
    *('```{.python title="a"}', '```python hl_lines="1"', "```text", "```markdown", "```output"),
]
BODIES = ["MARK", "MARK --> x", "<!--", "# no", "", "    MARK", "> MARK", "MARK `x`", "```", "~~~"]
OTHERS = [
    *("text", "- item", "1. item", "!!! note", '=== "a"', "> quote", "<!-- hidden -->", "text `x`", "text\n---"),
    *("```", "-->", "<!--", "a <!-- b", "text --> more", "- ```python", "<!-->", "--!>", "`` ` ```", "<div>", "    "),
]
EXTENSIONS = [
    *("admonition", "attr_list", "def_list", "md_in_html", "footnotes", "pymdownx.details"),
    *("pymdownx.superfences", "pymdownx.highlight", "pymdownx.inlinehilite", "pymdownx.tabbed"),
]
SPOILERS = ["", "```", "-->", "<!--", "```python", "  ```", "````"]


def segment(chance, number):
    lines = [chance.choice(OTHERS)]
    if chance.random() < 0.55:
        opening = chance.choice(OPENINGS)
        body = [chance.choice(BODIES).replace("MARK", f"MARK{number}") for _ in range(chance.randint(1, 3))]
        lines = [opening, *body, opening[: len(opening) - len(opening.lstrip("`~"))]]
        if chance.random() < 0.2:
            lines = [chance.choice(["<!--", "a <!-- b", "<div>"]), *lines, "-->"]
    spoil = chance.random()
    at = chance.randrange(len(lines))
    if spoil < 0.05:
        del lines[at]
    elif spoil < 0.1:
        lines.insert(at, chance.choice(SPOILERS))
    elif spoil < 0.15:
        lines[at] = chance.choice([" ", "    ", "> "]) + lines[at]
    prefix = chance.choice(PREFIXES)
    return [prefix + line if line else prefix.rstrip() for line in lines] + [""] * chance.randint(0, 1)


def random_page(chance):
    lines = [line for number in range(chance.randint(1, 4)) for line in segment(chance, number)]
    return chance.choice(["\n", "\r\n"]).join(lines) + "\n"


def marks(text):
    return set(re.findall(r"MARK\d+", text))


def material(page):
    markdown = pytest.importorskip("markdown")
    pytest.importorskip("pymdownx")
    html = markdown.markdown(
        page,
        extensions=EXTENSIONS,
        extension_configs={
            "pymdownx.tabbed": {"alternate_style": True},
            "pymdownx.highlight": {"pygments_lang_class": True},
        },
    )
    html = re.sub(r"<!--(?:>|->|.*?-->)", "", html, flags=re.DOTALL)
    return marks("".join(re.findall(r'<div class="language-python highlight">(.*?)</div>', html, re.DOTALL)))


def commonmark(page):
    tokens = pytest.importorskip("markdown_it").MarkdownIt("commonmark").parse(page)
    fences = (token for token in tokens if token.type == "fence")
    return marks("".join(token.content for token in fences if re.match(r"\W*python", token.info)))


@pytest.mark.parametrize("renderer", [material, commonmark])
def test_no_fence_escapes(renderer):
    chance = random.Random(1)
    collected = refused = 0
    for _ in range(500):
        page = random_page(chance)
        try:
            examples = find("page.md", page)
        except ExampleError:
            refused += 1
            continue
        code = marks("".join(example.code for example in examples))
        collected += bool(code)
        assert renderer(page) <= code, page
    assert min(collected, refused) > 75  # The pages are neither all right nor all wrong.
