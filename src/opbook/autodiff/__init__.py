"""Reverse-mode differentiation of NumPy code: the tape, the derivatives of NumPy's functions, `vjp` and `grad`.

It imports nothing of opbook but its errors, and knows no builtin.
"""
