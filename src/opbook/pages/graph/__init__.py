"""The tape of a small example as a picture: the steps, with values on the way down and cotangents on the way up."""

from opbook.pages.graph.drawing import draw
from opbook.pages.graph.tracing import Step, Trace, trace

__all__ = ["Step", "Trace", "draw", "trace"]
