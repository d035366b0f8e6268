"""Pages with exercises, to be proved or refused."""

STUB = """```python exercise="double"{judged}
def double(x):
    return ...
```
"""
TEST = """```python test
assert double(3) == 6, f"twice 3 is 6, not {double(3)}"
```
"""
REFERENCE = """```python reference
def double(x):
    return 2 * x
```
"""
WRONG = """```python wrong="It squares" says="not 9"
def double(x):
    return x**2
```
"""
EXERCISE = "\n".join([STUB.format(judged=""), TEST, REFERENCE, WRONG])
PAGE = f"# Numbers\n\nA line.\n\n## Twice\n\nGive twice `x`.\n\n{EXERCISE}"
