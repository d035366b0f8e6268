"""The code of the guide to published models, on arrays of any precision."""

from pathlib import Path

import numpy as np

from opbook.examples import find

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "run-a-published-model.md"

SENTENCES = [
    "A gate is opened.",
    "The gradient of a sum is the sum of its gradients, and a mask keeps padding out of both.",
    "Attention!",
]


def model_of_the_guide(dtype):
    """What the guide's fences define up to `hidden_states`, with the arrays of the file in a precision."""
    (last,) = [example for example in find(GUIDE) if "def hidden_states(" in example.code]
    names = {}
    for example in last.chain:
        exec(example.code, names)
        if "load_file" in example.code:
            names["p"] = {name: np.asarray(array, dtype) for name, array in names["p"].items()}
    return names
