"""What print is verified on."""

from opbook_text import print


@print.samples
def _(draw):
    yield 2.5
    yield "some text"
    yield draw.normal(2, 3)
    yield draw.normal(0, 3)
    yield ((1, True),)
    yield {"w": draw.normal(2), "n": 3}
