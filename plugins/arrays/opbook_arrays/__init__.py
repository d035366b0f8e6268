"""Making, joining and rearranging arrays, as an opbook plugin."""

from opbook import Family, hookimpl
from opbook_arrays.making import arange, eye, linspace, ones, zeros
from opbook_arrays.ordering import cumsum, sort
from opbook_arrays.products import einsum
from opbook_arrays.rearranging import concatenate, reshape, shape, take, transpose, where


@hookimpl
def opbook_builtins():
    """Add what makes, joins and rearranges arrays."""
    return [
        arange,
        concatenate,
        cumsum,
        einsum,
        eye,
        linspace,
        ones,
        reshape,
        shape,
        sort,
        take,
        transpose,
        where,
        zeros,
    ]


@hookimpl
def opbook_families():
    """Say what the category has in common."""
    return [Family("Arrays", "family.md")]
