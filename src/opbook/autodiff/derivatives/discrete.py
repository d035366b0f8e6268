"""Functions without a gradient: their result is no number, or does not change with a small change of the input."""

import numpy as np

from opbook.autodiff.derivatives.table import CONSTANTS, if_there

# steps
CONSTANTS.update(
    {np.sign, np.floor, np.ceil, np.trunc, np.rint, np.round, np.around, np.floor_divide, np.angle, np.imag}
)
CONSTANTS.update(if_there("fix"))

# comparisons and questions
CONSTANTS.update({np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal})
CONSTANTS.update({np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.all, np.any})
CONSTANTS.update({np.isnan, np.isinf, np.isfinite, np.signbit, np.isposinf, np.isneginf, np.isin})
CONSTANTS.update({np.isclose, np.allclose, np.array_equal, np.array_equiv})
CONSTANTS.update({np.iscomplex, np.isreal, np.iscomplexobj, np.isrealobj})

# places and counts
CONSTANTS.update({np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition, np.lexsort})
CONSTANTS.update({np.nonzero, np.flatnonzero, np.argwhere, np.count_nonzero, np.searchsorted, np.digitize})
CONSTANTS.update({np.linalg.matrix_rank})

# shapes, dtypes, and arrays of that shape
CONSTANTS.update({np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like})
CONSTANTS.update({np.result_type, np.can_cast, np.min_scalar_type, np.common_type})
CONSTANTS.update({np.tril_indices_from, np.triu_indices_from, np.diag_indices_from})
CONSTANTS.update({np.shares_memory, np.may_share_memory})

# texts and plans
CONSTANTS.update({np.einsum_path, np.array2string, np.array_repr, np.array_str})
