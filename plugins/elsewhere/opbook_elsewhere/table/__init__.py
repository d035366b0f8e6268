"""By builtin, which call does the same elsewhere, and what differs: a module for each family."""

from opbook_elsewhere.table.activations import ACTIVATIONS
from opbook_elsewhere.table.arrays import ARRAYS
from opbook_elsewhere.table.calculus import CALCULUS
from opbook_elsewhere.table.choosing import CHOOSING
from opbook_elsewhere.table.convolution import CONVOLUTION
from opbook_elsewhere.table.linear import LINEAR
from opbook_elsewhere.table.losses import LOSSES
from opbook_elsewhere.table.math import MATH
from opbook_elsewhere.table.normalization import NORMALIZATION
from opbook_elsewhere.table.optimization import OPTIMIZATION
from opbook_elsewhere.table.positions import POSITIONS
from opbook_elsewhere.table.recurrence import RECURRENCE
from opbook_elsewhere.table.reductions import REDUCTIONS
from opbook_elsewhere.table.transformer import TRANSFORMER

TABLE = (
    MATH
    | ACTIVATIONS
    | REDUCTIONS
    | ARRAYS
    | TRANSFORMER
    | POSITIONS
    | RECURRENCE
    | OPTIMIZATION
    | NORMALIZATION
    | LINEAR
    | CONVOLUTION
    | LOSSES
    | CHOOSING
    | CALCULUS
)
