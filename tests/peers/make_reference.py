"""Writes reference.json: what PyTorch computes for the inputs in cases.py.

Run it as `python tests/peers/make_reference.py`, where PyTorch is installed.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from peers import pytorch
from peers.cases import CASES, cotangent_of


def computed(op: str, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    value, gradients = pytorch.value_and_gradients(getattr(pytorch, op), args, kwargs, cotangent_of(op, args))
    return {"op": op, "value": value.tolist(), "gradients": [g.tolist() for g in gradients]}


table = {
    "peer": "PyTorch",
    "version": torch.__version__.partition("+")[0],
    "dtype": "float64",
    "cases": {name: computed(*case) for name, case in CASES.items()},
}
Path(__file__).with_name("reference.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
