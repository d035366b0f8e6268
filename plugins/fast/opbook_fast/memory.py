"""Memory that a training step frees, for the next one.

What a step needs and frees is several MiB. glibc gives memory back to the system as soon as so much of it is free, and
what the next step asks for comes in new pages, which the system fills with zeros first: a quarter of the time of a step
of the course's text model. glibc learns better when an array is freed that is larger than all before it, up to 32 MiB:
arrays of up to that size come from memory that is kept from then on, of which up to 64 MiB may lie idle.
"""

import numpy as np

LARGEST = 31 * 2**20
"""Bytes of the array to learn from, which are never touched."""


def keep_for_the_next_step() -> None:
    """Let glibc learn; other allocators are not moved by it."""
    np.empty(LARGEST, np.uint8)
