"""How each library answers what the page on their disagreements asks, in calls of its own."""

from peers.libraries.attention import CHECKS as ATTENTION
from peers.libraries.layers import CHECKS as LAYERS
from peers.libraries.training import CHECKS as TRAINING

CHECKS = LAYERS | TRAINING | ATTENTION
"""By section of the page: the library, the label that the page has it under, and what asks it."""
