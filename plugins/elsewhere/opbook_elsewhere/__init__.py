"""What does the same in NumPy, PyTorch, JAX and ONNX, on the pages of builtins, as an opbook plugin."""

from opbook import Section, hookimpl
from opbook_elsewhere.disagreements import PAGE, links
from opbook_elsewhere.table import TABLE
from opbook_elsewhere.table.entries import Call, Operator

TITLE = "In other libraries"
NAMES = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "onnx": "ONNX"}

_LEGEND = "np is `numpy`, F is `torch.nn.functional`, jnp is `jax.numpy`; an operator of ONNX is given with its opset."


def _line(library, entry):
    match entry:
        case Operator(name, opset, note):
            what = f"`{name}`, opset {opset}"
        case Call(code, note):
            what = f"`{code}`"
        case str(note):
            what = ""
    separator = ". " if what and note else ""
    return f"- **{NAMES[library]}**: {what}{separator}{note}{'.' if note else ''}"


def _text(name, entries):
    lines = "\n".join(_line(*entry) for entry in entries.items())
    return "\n\n".join(part for part in (lines, links(name), _LEGEND) if part)


@hookimpl
def opbook_sections():
    """Add "In other libraries" to the pages of our builtins."""
    return [Section(name, TITLE, _text(name, entries)) for name, entries in TABLE.items()]


@hookimpl
def opbook_guides():
    """Bring along the page on what the libraries disagree about."""
    return [f"guides/{PAGE}"]
