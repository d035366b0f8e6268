"""Writes a project of somebody else's with as many builtins as one likes, and a site for them: the same every time.

Plugins are laid out as pip leaves them, so that a build needs `PYTHONPATH` and nothing else to find them. A builtin is
one of five kinds, with numbers of its own in its definition, so that no two are the same; most have a rule, each has an
example in both languages, and three in five draw a figure.
"""

import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PER_PLUGIN = 50
"""How many builtins a plugin has."""

PER_MODULE = 10
"""How many of them stand in one module."""

CATEGORIES = ("Filters", "Gates", "Kernels", "Losses", "Mixing", "Norms", "Scores", "Warps")

FIRST = (
    "amber brisk calm dense early faint grand humble inner jagged keen linear merry narrow outer plain quick rapid "
    "sharp tame upper vivid warm young zonal broad crisp dim even fine gentle hollow"
)
SECOND = (
    "anchor blend comb damp edge fold gate hinge knot lift mask norm pass quant ramp score tilt vote warp yield "
    "bend clip drift echo flow grid hash join kern lens mean node"
)

KINDS: tuple[tuple[str, str, str], ...] = (
    (
        # a function of every entry, drawn as a line
        '''
        # A straight line of slope {a} beside a bounded bend: far from 0 the line is what is left.
        #
        # **The gradient.** The bend adds its own slope, which is largest at 0 and dies away on both sides.
        @builtin(category="{category}")
        def {name}(x: Array["..."], *, rate: float = {b}) -> Array["..."]:
            r"""Adds a bounded bend to {a} times every entry of x.

            Args:
                x: The entries.
                rate: How quickly the bend reaches its bound.

            Returns:
                An array of x's shape.

            Formula:
                $$y = {a}\\,x + \\tanh(\\mathrm{{rate}}\\,x)$$

            Source:
                Made up, to have very many.
            """
            return {a} * x + np.tanh(rate * x)


        @{name}.defvjp
        def _(x, *, rate={b}):
            bend = np.tanh(rate * x)
            return {a} * x + bend, lambda g: (g * ({a} + rate * (1 - bend**2)),)
        ''',
        'x = linspace(-3, 3, 41)\nplot(x, {name}(x), title = "{name}")\nprint("{{round({name}([0, 1]), 4)}}")',
        "print({name}(np.array([0.0, 1.0])).round(4))",
    ),
    (
        # a function of rows, drawn as a heatmap
        '''
        # Rows are centred before they are weighed, so that a constant row comes out as 0 for any weights.
        #
        # **The gradient.** The mean of the weighted cotangent is taken out, as centring took the mean of the row.
        @builtin(category="{category}")
        def {name}(x: Array["... D"], weight: Array["D"]) -> Array["... D"]:
            r"""Centres every row of x, then scales its columns by weight and by {a}.

            Args:
                x: The rows.
                weight: A scale for each column.

            Returns:
                An array of x's shape.

            Formula:
                $$y_i = {a}\\,w_i\\,(x_i - \\overline{{x}})$$

            Source:
                Made up, to have very many.
            """
            mean = x.sum(axis=-1, keepdims=True) / max(x.shape[-1], 1)
            return {a} * weight * (x - mean)


        @{name}.defvjp
        def _(x, weight):
            weight = weight.copy()
            count = max(x.shape[-1], 1)
            centred = x - x.sum(axis=-1, keepdims=True) / count

            def pullback(g):
                h = {a} * weight * g
                along = {a} * (centred * g)
                return h - h.sum(axis=-1, keepdims=True) / count, along.sum(axis=tuple(range(g.ndim - 1)))

            return {a} * weight * centred, pullback
        ''',
        'x = [1, 2, {k}; 4, 5, 5]\ny = {name}(x, [1, 0.5, 2])\nheatmap(y, title = "{name}")\nprint("{{round(y, 4)}}")',
        "print({name}(np.array([[1.0, 2.0, {k}.0], [4, 5, 5]]), np.array([1, 0.5, 2])).round(4))",
    ),
    (
        # a product of matrices, without a figure
        '''
        # The product comes first and the scale last, as the product is the larger of the two arrays.
        #
        # **The gradient.** Each factor gets the cotangent times the other one, transposed, and the scale once.
        @builtin(category="{category}")
        def {name}(a: Array["... N D"], b: Array["... D M"], *, scale: float = {b}) -> Array["... N M"]:
            r"""Multiplies a by b and takes scale times the product.

            Args:
                a: Rows.
                b: Columns.
                scale: The factor behind the product.

            Returns:
                A matrix with a row for each row of a and a column for each column of b.

            Formula:
                $$y = \\mathrm{{scale}} \\cdot a\\,b$$

            Source:
                Made up, to have very many.
            """
            return scale * (a @ b)


        @{name}.defvjp
        def _(a, b, *, scale={b}):
            a, b = a.copy(), b.copy()

            def summed(gradient, like):
                lead = gradient.ndim - like.ndim
                gradient = gradient.sum(axis=tuple(range(lead)))
                narrow = tuple(i for i, n in enumerate(like.shape) if n == 1 and gradient.shape[i] != 1)
                return gradient.sum(axis=narrow, keepdims=True)

            def pullback(g):
                first, second = scale * (g @ b.swapaxes(-1, -2)), scale * (a.swapaxes(-1, -2) @ g)
                return summed(first, a), summed(second, b)

            return scale * (a @ b), pullback
        ''',
        'print("{{round({name}([1, 2; 3, {k}], [1; -1]), 4)}}")',
        "print({name}(np.array([[1.0, 2], [3, {k}]]), np.array([[1.0], [-1]])).round(4))",
    ),
    (
        # a number for each row, without a rule, drawn as bars
        '''
        # Large entries count more than small ones: the square grows faster than the entry.
        @builtin(category="{category}")
        def {name}(x: Array["... D"]) -> Array["..."]:
            r"""Sums {a} times the squares of every row and its entries.

            Args:
                x: The rows.

            Returns:
                A number for each row.

            Formula:
                $$y = \\sum_i {a}\\,x_i^2 + x_i$$

            Source:
                Made up, to have very many.
            """
            return ({a} * x**2 + x).sum(axis=-1)
        ''',
        'y = {name}([1, 2; 3, {k}; -1, 0])\nbars(y, title = "{name}")\nprint("{{round(y, 4)}}")',
        "print({name}(np.array([[1.0, 2], [3, {k}], [-1, 0]])).round(4))",
    ),
    (
        # a comparison of two arrays, without a figure
        '''
        # Near 0 the difference counts squared, far away by its size, and nowhere is there a corner between the two.
        #
        # **The gradient.** Both arrays get the same numbers with opposite signs, never larger than {a}.
        @builtin(category="{category}")
        def {name}(x: Array["D"], target: Array["D"]) -> Array[""]:
            r"""Says how far x is from target, with {a} as the largest slope.

            Args:
                x: What came.
                target: What should have come.

            Returns:
                A number, 0 where both are the same.

            Formula:
                $$y = \\sum_i {a}\\left(\\sqrt{{1 + (x_i - t_i)^2}} - 1\\right)$$

            Source:
                Made up, to have very many.
            """
            return ({a} * (np.sqrt(1 + (x - target) ** 2) - 1)).sum()


        @{name}.defvjp
        def _(x, target):
            apart = x - target
            root = np.sqrt(1 + apart**2)

            def pullback(g):
                slope = g * {a} * apart / root
                return slope, -slope

            return ({a} * (root - 1)).sum(), pullback
        ''',
        'print("{{round({name}([1, 2, {k}], [1, 1, 1]), 4)}}")',
        "print({name}(np.array([1.0, 2, {k}]), np.ones(3)).round(4))",
    ),
)
"""Each kind's source, and its example in both languages."""


def write(folder: Path, count: int) -> dict[str, str]:
    """Write a project.

    Args:
        folder: Where it goes.
        count: How many builtins it has.

    Returns:
        What the environment of a build needs.
    """
    names = [name_of(i) for i in range(count)]
    for start in range(0, count, PER_PLUGIN):
        _plugin(folder / "packages", start // PER_PLUGIN, list(enumerate(names))[start : start + PER_PLUGIN])
    _file(folder / "docs/index.md", f"# Home\n\nSee [`{names[0]}`](builtins/{names[0]}.md).\n")
    shown = ", ".join(CATEGORIES[: math.ceil(count / len(KINDS))])
    _file(
        folder / "mkdocs.yml",
        "site_name: Many\ntheme:\n  name: material\n  font: false\nplugins:\n  - search\n"
        f"  - opbook:\n      only: [{shown}]\nnav:\n  - Home: index.md\n  - Builtins: builtins/\n",
    )
    environment = {"PYTHONPATH": str(folder / "packages")}
    pages = sorted(str(page) for page in folder.glob("packages/*/examples.md"))
    command = [sys.executable, "-m", "opbook", "examples", "--update", *pages]
    subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.DEVNULL)
    return environment


def name_of(i: int) -> str:
    """A name of two words, each given once up to 1,024 of them; then with a number behind."""
    firsts, seconds = FIRST.split(), SECOND.split()
    again, i = divmod(i, len(firsts) * len(seconds))
    first, second = firsts[i % len(firsts)], seconds[(i // len(firsts) + i) % len(seconds)]
    return f"{first}_{second}" + (f"_{again + 1}" if again else "")


def _plugin(packages: Path, number: int, members: list[tuple[int, str]]) -> None:
    package = f"many_ops_{number:02}"
    parts = [members[i : i + PER_MODULE] for i in range(0, len(members), PER_MODULE)]
    for k, part in enumerate(parts):
        head = f'"""Part {k} of {package}."""\n\nimport numpy as np\n\nfrom opbook import Array, builtin\n\n\n'
        _file(packages / package / f"part_{k}.py", head + "\n\n".join(_builtin(i, name)[0] for i, name in part))
    imports = "".join(
        f"from {package}.part_{k} import {', '.join(name for _, name in part)}\n" for k, part in enumerate(parts)
    )
    listed = ", ".join(name for _, name in members)
    _file(
        packages / package / "__init__.py",
        f'"""Many builtins."""\n\nfrom opbook import hookimpl\n{imports}\n\n@hookimpl\ndef opbook_builtins():\n'
        f'    """Add them."""\n    return [{listed}]\n',
    )
    _file(packages / package / "examples.md", "\n".join(_builtin(i, name)[1] for i, name in members))
    info = packages / f"{package}-1.0.dist-info"
    _file(info / "METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\nSummary: Many builtins.\n")
    _file(info / "entry_points.txt", f"[opbook]\n{package} = {package}\n")


def _builtin(i: int, name: str) -> tuple[str, str]:
    """The source of a builtin, and its examples."""
    source, qu, python = KINDS[i % len(KINDS)]
    numbers: dict[str, Any] = {"a": f"{0.5 + i / 100:g}", "b": f"{1 + i / 50:g}", "k": 3 + i % 7}
    values = numbers | {"name": name, "category": CATEGORIES[(i // len(KINDS)) % len(CATEGORIES)]}
    head = f"import numpy as np\n\nfrom opbook.ops import {name}\n\n"
    examples = (
        f"## An example of {name}\n\nWith numbers that are easy to follow.\n\n"
        f"```qu\n{qu.format(**values)}\n```\n\n```python\n{head}{python.format(**values)}\n```\n"
    )
    return textwrap.dedent(source).strip("\n").format(**values) + "\n", examples


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
