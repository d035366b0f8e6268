"""The tape of a small example as a picture: the steps, with values on the way down and cotangents on the way up."""

from opbook.pages.tape.drawing import draw
from opbook.pages.tape.listing import as_list
from opbook.pages.tape.live import as_data
from opbook.pages.tape.tracing import Step, Trace, trace

__all__ = ["Step", "Trace", "as_data", "as_list", "draw", "trace"]
