"""How attention knows where a row stands: rotations, sinusoids, biases and windows, as an opbook plugin."""

from opbook import Family, hookimpl
from opbook_positions.alibi import alibi_bias
from opbook_positions.rotary import rope
from opbook_positions.sinusoids import sinusoidal_positions
from opbook_positions.windows import sliding_window_mask


@hookimpl
def opbook_builtins():
    """Add what says where a row stands."""
    return [alibi_bias, rope, sinusoidal_positions, sliding_window_mask]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Positions", "family.md")]
