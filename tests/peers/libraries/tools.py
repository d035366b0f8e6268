"""How the libraries are called, each with arrays of NumPy, and what they return as such."""

import os
import warnings

import numpy as np
import pytest

os.environ.setdefault("KERAS_BACKEND", "jax")


def load(module, library):
    """A library, or a skip that says that it is not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(module, reason=f"{library} is not installed")


def torch():
    import torch

    return torch


def tensor(values, **options):
    return torch().tensor(np.asarray(values), **options)


def numpy(value):
    return np.asarray(value.detach() if hasattr(value, "detach") else value, float)


def onnx(operator, inputs, opset=None, outputs=1, domain="", **attributes):
    """The outputs of one operator, as ONNX's reference evaluator has them."""
    import onnx
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    arrays = [None if one is None else np.asarray(one) for one in inputs]
    names = ["" if one is None else f"in{i}" for i, one in enumerate(arrays)]
    out = [f"out{i}" for i in range(outputs)]
    given = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(one.dtype), one.shape)
        for name, one in zip(names, arrays, strict=True)
        if one is not None
    ]
    results = [helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None) for name in out]
    graph = helper.make_graph(
        [helper.make_node(operator, names, out, domain=domain, **attributes)], "g", given, results
    )
    version = opset or onnx.defs.get_schema(operator, domain=domain).since_version
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, version)])
    feeds = {name: one for name, one in zip(names, arrays, strict=True) if one is not None}
    return ReferenceEvaluator(model).run(None, feeds)


def jax(call):
    """A call with jax in 64 bits."""
    import jax

    with jax.enable_x64(True):
        return np.asarray(call(jax))


def functional(name, *arguments, **options):
    """A function of torch.nn.functional, of arrays, as a flat array."""
    arrays = [tensor(one) for one in arguments]
    named = {key: tensor(value) if isinstance(value, np.ndarray) else value for key, value in options.items()}
    return np.ravel(numpy(getattr(torch().nn.functional, name)(*arrays, **named)))
