"""Examples that a reader changes and runs: one message format, and two engines that answer it.

Under `opbook site serve` a process of its own runs programs of the notation. A published site can carry Python for the
browser, which runs the notation and Python in the page. Both ask `opbook.playground.answers`.
"""
