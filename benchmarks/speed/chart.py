"""The pictures of the documentation, as SVG that is the same whenever it is drawn from the same numbers."""

import math
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from speed.cases import CASES, Case
from speed.report import Row

WAY, DTYPE = "forward+VJP", "float32"
MARKS = {
    "opbook": "m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0z",
    "jax": "m-5-5h10v10h-10z",
    "torch": "m0-7 7 7-7 7-7-7z",
    "autograd": "m0-6 6 11h-12z",
}
NAMES = {"opbook": "opbook", "torch": "PyTorch", "jax": "JAX", "autograd": "autograd"}

_STYLE = """<style>
.sheet{fill:#fdfcfa}text{font:14px system-ui,sans-serif;fill:#22262b}.end{text-anchor:end}.middle{text-anchor:middle}
.line{fill:none;stroke:#b9b4a8}.roof{fill:none;stroke:#5b6068;stroke-width:2}.zero{stroke:#5b6068;stroke-width:2}
.opbook{fill:#0d6b62}.torch{fill:#b4541f}.jax{fill:#6b5ba8}.autograd{fill:#8a7a1c}
@media (prefers-color-scheme:dark){.sheet{fill:#14181c}text{fill:#e8eaed}.line{stroke:#4a545f}
.roof,.zero{stroke:#9aa3ad}
.opbook{fill:#4fb3a7}.torch{fill:#e79a6a}.jax{fill:#a99be0}.autograd{fill:#cdbd5c}}
</style>"""


def svg(width: int, height: int, title: str, description: str, body: Iterable[str]) -> str:
    """Make a picture of its elements."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="title text">',
            _STYLE,
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="text">{escape(description)}</desc>',
            # a page can be light while the system is dark, so the picture brings its own ground
            f'<rect class="sheet" width="{width}" height="{height}" rx="6"/>',
            *body,
            "</svg>\n",
        ]
    )


def caption(x: float, y: float, text: str, kind: str = "") -> str:
    """Write a text that begins at a place, or is in the middle of it, or ends there, as its kind says."""
    return f'<text x="{x:.0f}" y="{y:.0f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(text)}</text>'


def marker(name: str, x: float, y: float) -> str:
    """Mark a place with the shape and the colour of a library."""
    return f'<path class="{name}" d="M{x:.1f} {y:.1f}{MARKS[name]}"/>'


def _legend(names: Iterable[str], x: float, y: float) -> Iterator[str]:
    for i, name in enumerate(names):
        yield marker(name, x + 110 * i, y)
        yield caption(x + 12 + 110 * i, y + 5, NAMES[name])


def _chosen(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["what"] == WAY and row["dtype"] == DTYPE and "torch" in row["ratios"]]


def peers(rows: list[Row]) -> str:
    """Draw everybody's time divided by PyTorch's, on a scale where twice as fast is as far as twice as slow.

    Args:
        rows: The table.

    Returns:
        The picture.
    """
    chosen = _chosen(rows)
    left, right, top, step = 250, 700, 56, 26
    bottom = top + step * len(chosen)

    def place(ratio: float) -> float:
        low, high = math.log(1 / 8), math.log(32)
        return left + (right - left) * (min(max(math.log(ratio), low), high) - low) / (high - low)

    body = []
    for tick in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32):
        kind = "zero" if tick == 1 else "line"
        body += [f'<path class="{kind}" d="M{place(tick):.1f} {top - 14}V{bottom}"/>']
        body += [caption(place(tick), bottom + 20, f"{tick:g}", "middle")]
    for i, row in enumerate(chosen):
        y = top + step * i + 4
        body.append(caption(left - 14, y + 5, f"{_short(row['op'])} {row['size']}", "end"))
        mine = row["ratios"]["torch"][1]
        for name in ("jax", "autograd"):
            if name in row["ratios"]:
                body.append(marker(name, place(mine / row["ratios"][name][1]), y))
        body.append(marker("opbook", place(mine), y))
    body += _legend(("opbook", "jax", "autograd"), left, 18)
    body.append(caption((left + right) / 2, bottom + 42, "time divided by PyTorch's; less is faster", "middle"))
    description = "; ".join(f"{_short(row['op'])} {row['size']} {row['ratios']['torch'][1]:.2g}" for row in chosen)
    title = "Time of forward and VJP in float32, divided by PyTorch's"
    return svg(720, bottom + 56, title, f"opbook: {description}", body)


_SHORT = {"scaled_dot_product_attention": "attention", "multi_head_attention": "heads", "transformer_block": "block"}


def _short(op: str) -> str:
    return _SHORT.get(op, op)


_ON_THE_ROOF = {
    ("layer_norm", "4096×1024"): "layer norm",
    ("scaled_dot_product_attention", "512×64"): "attention 512",
    ("transformer_block", "512×768"): "block",
    ("scaled_dot_product_attention", "2048×64"): "attention 2048",
    ("scaled_dot_product_attention", "8192×64"): "8192",
}


def roofline(rows: list[Row]) -> str:
    """Draw how fast ops are beside what memory and the arithmetic units allow.

    Args:
        rows: The table.

    Returns:
        The picture: along the axis, operations for each byte that has to be moved; upwards, operations a second.
    """
    by_name = {(row["op"], row["size"]): row for row in _chosen(rows)}
    chosen = [(label, by_name[name]) for name, label in _ON_THE_ROOF.items() if name in by_name]
    work = {label: _operations_and_bytes(row) for label, row in chosen}
    limits = {label: row["milliseconds"]["limit"][1] / 1e3 for label, row in chosen}
    bandwidth = work["layer norm"][1] / limits["layer norm"]
    peak = max(work[label][0] / limits[label] for label, _ in chosen)
    left, right, top, bottom = 70, 690, 44, 374

    def x(intensity: float) -> float:
        return left + (right - left) * math.log10(intensity / 0.3) / math.log10(5000 / 0.3)

    def y(speed: float) -> float:
        return bottom - (bottom - top) * math.log10(speed / 1e8) / math.log10(1e12 / 1e8)

    ridge = peak / bandwidth
    body = [f'<path class="roof" d="M{x(0.3):.1f} {y(0.3 * bandwidth):.1f}L{x(ridge):.1f} {y(peak):.1f}H{right}"/>']
    for power in range(8, 13):
        body += [f'<path class="line" d="M{left} {y(10**power):.1f}H{right}"/>']
        body += [caption(left - 8, y(10**power) + 5, f"{10 ** (power - 9):g}", "end")]
    for intensity in (1, 10, 100, 1000):
        body.append(caption(x(intensity), bottom + 20, str(intensity), "middle"))
    body += [caption(left, 18, "billion operations a second"), caption(right, bottom + 44, "operations a byte", "end")]
    for i, (label, row) in enumerate(chosen):
        operations, moved = work[label]
        for name in ("autograd", "torch", "opbook"):
            if name in row["milliseconds"]:
                body.append(marker(name, x(operations / moved), y(operations / row["milliseconds"][name][1] * 1e3)))
        body.append(caption(x(operations / moved), bottom - 12 - 18 * (i % 3), label, "middle"))
    body += _legend(("opbook", "torch", "autograd"), left + 280, 13)
    description = (
        f"Below {ridge:.0f} operations a byte the roof is memory, {bandwidth / 1e9:.0f} GB/s; above, it is arithmetic, "
        f"{peak / 1e9:.0f} billion operations a second."
    )
    return svg(720, bottom + 60, "How near the roof each op is", description, body)


def _operations_and_bytes(row: Row) -> tuple[float, float]:
    """What forward and VJP need at the least: operations, and bytes read and written."""
    case = next(c for c in CASES if (c.op, c.size, c.dtype) == (row["op"], row["size"], row["dtype"]))
    n, d = (int(part) for part in case.size.split("×"))
    if case.op == "layer_norm":
        return 18.0 * n * d, 4.0 * 4 * n * d
    products = sum(_products(case, n, d))
    return 2.0 * products, 4.0 * _entries(case, n, d)


def _products(case: Case, n: int, d: int) -> Iterator[float]:
    """Multiplications: attention has two products forward and four backward, a projection one and two."""
    yield 6.0 * n * n * d
    if case.op != "scaled_dot_product_attention":
        yield 3.0 * n * 4 * d * d
    if case.op == "transformer_block":
        yield 3.0 * n * 8 * d * d


def _entries(case: Case, n: int, d: int) -> float:
    """Numbers in the arguments, the value, the cotangent and the gradients."""
    weights = {"scaled_dot_product_attention": 0, "multi_head_attention": 4, "transformer_block": 12}[case.op] * d * d
    rows = 8 if case.op == "scaled_dot_product_attention" else 4
    return rows * n * d + 2 * weights
