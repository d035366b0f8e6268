"""Recurrences, which go through a sequence step by step, as an opbook plugin."""

from opbook import Family, hookimpl
from opbook_recurrence.gru import gru_forward
from opbook_recurrence.lstm import lstm_forward
from opbook_recurrence.plain import rnn_forward


@hookimpl
def opbook_builtins():
    """Add gru_forward, lstm_forward and rnn_forward."""
    return [gru_forward, lstm_forward, rnn_forward]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Recurrence", "family.md")]
