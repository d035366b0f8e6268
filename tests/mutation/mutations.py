"""Wrong versions of a module: each differs from it in one expression or statement, as by a slip of the pen.

Left alone are samples, hooks, documentation, decorators, annotations, assertions and the messages of errors.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

Change = tuple[str, Any]
"""The name of a mutation, and the node that it puts in the place of another."""

_SKIPPED = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)
_SKIPPED_FIELDS = ("decorator_list", "annotation", "returns", "ctx")
_COMPOUND = (ast.If, ast.For, ast.With, ast.Try, ast.FunctionDef)
_SWAPPED: dict[type, type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARED: dict[type, tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_PAIRS = (("sum", "mean"), ("max", "min"), ("maximum", "minimum"), ("any", "all"), ("sin", "cos"), ("zeros", "ones"))
_NAMESAKES = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])} | {
    "exp": "expm1",
    "log": "log1p",
    "round": "rint",
}
_COMMUTATIVE = ("swapaxes", "max", "min", "maximum", "minimum", "not_equal", "logaddexp", "broadcast_shapes")
_OPTIONAL = ("mask", "key_mask", "bias", "allowed")
_MODULES = ("np", "math", "builtins", "opbook", "tree")


@dataclass(frozen=True)
class Mutant:
    """One wrong version of a module.

    Attributes:
        module: The module's name.
        path: Its file.
        function: Where the change is; the rule of an op is called op.defvjp.
        line: The line of the change.
        span: The first and last line of the function at the top level of the module; of all for a constant.
        mutation: What kind of change it is.
        before: The changed statement, or the first line of it.
        after: What it was changed to.
    """

    module: str
    path: Path
    function: str
    line: int
    span: tuple[int, int]
    mutation: str
    before: str
    after: str
    _tree: ast.Module = field(repr=False)
    _apply: Callable[[], None] = field(repr=False)

    @property
    def op(self) -> str:
        """The builtin whose definition or rule is wrong, if the function is one of these."""
        return self.function.split(".")[0]

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the mutant for good, whatever lines are added above it."""
        return self.module, self.function, f"{self.mutation}: {self.after}"

    def code(self) -> Any:
        """Make the change, for good, and compile the module. (Each mutant is tried in a process of its own.)"""
        self._apply()
        return compile(ast.fix_missing_locations(self._tree), self.path, "exec")


def mutants(module: str, path: Path) -> Iterator[Mutant]:
    """Make the wrong versions of a module.

    Args:
        module: Its name.
        path: Its file.

    Yields:
        Each of them once.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen = set()
    for name, span, part in _parts(tree):
        stores = Counter(_stored(part))
        for site in _sites(part, _Site(part, lambda new: None, name, part)):
            for mutation, new in _changes(site.node, stores):
                before, after = _text(site.statement), site.text_with(ast.copy_location(new, site.node))
                if before != after and (site.node.lineno, after) not in seen:
                    seen.add((site.node.lineno, after))
                    where = (site.function, site.node.lineno, span)
                    yield Mutant(module, path, *where, mutation, before, after, tree, partial(site.put, new))


def _parts(tree: ast.Module) -> Iterator[tuple[str, tuple[int, int], Any]]:
    """What can be wrong in a module, with its name and lines: constants, functions, and the methods of classes."""
    for top in tree.body:
        methods = top.body if isinstance(top, ast.ClassDef) else []
        for part in (top, *methods):
            if not isinstance(part, ast.FunctionDef):
                continue
            name = _title(part) if part is top else f"{top.name}.{part.name}"
            if "samples" not in name and not part.name.startswith("opbook_"):
                yield name, (min([part.lineno, *(d.lineno for d in part.decorator_list)]), part.end_lineno), part
        if isinstance(top, ast.Assign):
            yield "<module>", (0, 10**6), top


@dataclass(frozen=True)
class _Site:
    """A node, how to put another in its place, and what it is part of."""

    node: Any
    put: Callable[[Any], None]
    function: str
    statement: Any

    def text_with(self, new: Any) -> str:
        if self.node is self.statement:
            return _text(new)
        self.put(new)
        try:
            return _text(self.statement)
        finally:
            self.put(self.node)


def _sites(node: Any, at: _Site) -> Iterator[_Site]:
    """The nodes below one."""
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED_FIELDS:
            continue
        for i, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, _SKIPPED) or _is_left_alone(child):
                continue

            def put(new: Any, name: str = name, value: Any = value, i: int = i) -> None:
                if isinstance(value, list):
                    value[i] = new
                else:
                    setattr(node, name, new)

            inside = f"{at.function}.{_title(child)}" if isinstance(child, ast.FunctionDef) else at.function
            site = _Site(child, put, inside, child if isinstance(child, ast.stmt) else at.statement)
            if hasattr(child, "lineno"):
                yield site
            yield from _sites(child, site)


def _is_left_alone(node: Any) -> bool:
    """Documentation, and strict=True, which only asserts what is so."""
    is_documentation = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_documentation or (isinstance(node, ast.keyword) and node.arg == "strict")


def _title(function: ast.FunctionDef) -> str:
    """A function's name, or what it is to the op that decorates it: layer_norm.defvjp."""
    return next((ast.unparse(d) for d in function.decorator_list if isinstance(d, ast.Attribute)), function.name)


def _text(statement: Any) -> str:
    lines = [line for line in ast.unparse(statement).splitlines() if not line.startswith("@")]
    return lines[0] if isinstance(statement, _COMPOUND) else "\n".join(lines)


def _stored(function: Any) -> Iterator[str]:
    """Every name that is given a value, once for each time."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


# ------------------------------------------------------------------------------------------------------- the mutations


def _changes(node: Any, stores: Counter[str]) -> Iterator[Change]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if not all(isinstance(t, ast.Name) and stores[t.id] == 1 for t in targets) or not targets:
            yield "statement deleted", ast.Pass()  # without its only assignment a name would not exist
    changes = _BY_TYPE.get(type(node))
    if changes:
        yield from changes(node)


def _scaled(node: Any) -> Any:
    return ast.BinOp(ast.Constant(1.01), ast.Mult(), node)


def _replaced(node: Any, **fields: Any) -> Any:
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _neighbours_swapped(items: list[Any]) -> Iterator[list[Any]]:
    for i in range(len(items) - 1):
        if not any(isinstance(item, ast.Starred) for item in items[i : i + 2]):
            yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def _binary(node: ast.BinOp) -> Iterator[Change]:
    kind = type(node.op)
    if kind in _SWAPPED:
        yield "operator swapped", _replaced(node, op=_SWAPPED[kind]())
    if kind is ast.MatMult:
        yield "1 % off", _scaled(node)
        yield "operands swapped", _replaced(node, left=node.right, right=node.left)
        return
    yield "part lost", node.left
    if kind is ast.Sub:
        yield "part lost", ast.UnaryOp(ast.USub(), node.right)
    elif kind not in (ast.Div, ast.Pow):
        yield "part lost", node.right
    if kind is ast.Div:
        yield "divided by one less", _replaced(node, right=ast.BinOp(node.right, ast.Sub(), ast.Constant(1)))


def _augmented(node: ast.AugAssign) -> Iterator[Change]:
    if type(node.op) in _SWAPPED:
        yield "operator swapped", _replaced(node, op=_SWAPPED[type(node.op)]())


def _boolean(node: ast.BoolOp) -> Iterator[Change]:
    yield "operator swapped", _replaced(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for part in node.values:
        yield "part lost", part


def _unary(node: ast.UnaryOp) -> Iterator[Change]:
    if not isinstance(node.operand, ast.Constant):  # of a number, the number is changed
        yield "sign lost", node.operand


def _comparison(node: ast.Compare) -> Iterator[Change]:
    for i, op in enumerate(node.ops):
        for other in _COMPARED[type(op)]:
            yield "comparison changed", _replaced(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])


def _constant(node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield "truth changed", ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield "constant changed", ast.Constant(node.value + 1)
        yield "constant changed", ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield "constant changed", ast.Constant(node.value + 1)
        yield "1 % off", ast.Constant(node.value * 1.01)


def _call(node: ast.Call) -> Iterator[Change]:
    function: Any = node.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    is_method = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") not in _MODULES
    subject = function.value if is_method else next(iter(node.args), None)
    if name in ("where", "minimum", "maximum"):
        for choice in node.args[-2:]:
            yield "choice lost", choice
    elif subject is not None and not isinstance(subject, ast.Starred):
        yield "call lost", subject
    if name in _NAMESAKES:
        other = _NAMESAKES[name]
        renamed = ast.Name(other, ast.Load()) if isinstance(function, ast.Name) else _replaced(function, attr=other)
        if isinstance(function, ast.Attribute) or name in ("any", "all"):
            yield "function changed", _replaced(node, func=renamed)
    if name in ("sum", "mean", "einsum"):
        yield "1 % off", _scaled(node)
    if name == "mean" and isinstance(subject, ast.expr):
        total = _replaced(node, func=_replaced(function, attr="sum"))
        last = ast.Subscript(ast.Attribute(subject, "shape", ast.Load()), ast.Constant(-1), ast.Load())
        yield "divided by one less", ast.BinOp(total, ast.Div(), ast.BinOp(last, ast.Sub(), ast.Constant(1)))
    if name == "sqrt" and isinstance(subject, ast.BinOp):
        yield "eps outside the root", _replaced(subject, left=_replaced(node, args=[subject.left]))
    for args in _neighbours_swapped(node.args):
        if name in _COMMUTATIVE and args[-2:] == node.args[:-3:-1]:
            continue
        yield "arguments swapped", _replaced(node, args=args)
    for i, arg in enumerate(node.args):
        if getattr(arg, "id", "") in _OPTIONAL:
            yield "mask dropped", _replaced(node, args=[*node.args[:i], ast.Constant(None), *node.args[i + 1 :]])
    for i, keyword in enumerate(node.keywords):
        if keyword.arg != "strict":
            yield f"{keyword.arg} dropped", _replaced(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])


def _arguments(node: ast.FunctionDef) -> Iterator[Change]:
    """Other defaults, where they are not numbers or truth values, which are constants like others."""
    args = node.args
    for name in ("defaults", "kw_defaults"):
        defaults = getattr(args, name)
        named = args.kwonlyargs if name == "kw_defaults" else args.args[len(args.args) - len(defaults) :]
        for i, (arg, default) in enumerate(zip(named, defaults, strict=True)):
            other = _other_default(arg, default)
            if other is not None:
                changed = _replaced(args, **{name: [*defaults[:i], ast.Constant(other), *defaults[i + 1 :]]})
                yield "default changed", _replaced(node, args=changed)


def _other_default(arg: ast.arg, default: Any) -> Any:
    """1 instead of None; another choice of an annotation Literal[...]; nothing for others."""
    if not isinstance(default, ast.Constant):
        return None
    if default.value is None:
        return 1
    choices = [n.value for n in ast.walk(arg.annotation or arg) if isinstance(n, ast.Constant)]
    return next((c for c in choices if c != default.value), None) if isinstance(default.value, str) else None


def _returned(node: Any) -> Iterator[Change]:
    """A value, or one of several, 1 % off."""
    value, name = (node.value, "value") if isinstance(node, ast.Return) else (node.body, "body")
    if isinstance(value, ast.Tuple):
        for i, part in enumerate(value.elts):
            if not isinstance(part, ast.Constant | ast.Starred | ast.Lambda):
                elts = [*value.elts[:i], _scaled(part), *value.elts[i + 1 :]]
                yield "1 % off", _replaced(node, **{name: _replaced(value, elts=elts)})
    elif value is not None and not isinstance(value, ast.Constant | ast.List | ast.Lambda):
        yield "1 % off", _replaced(node, **{name: _scaled(value)})


def _sequence(node: Any) -> Iterator[Change]:
    if isinstance(node.ctx, ast.Load):
        for elts in _neighbours_swapped(node.elts):
            yield "entries swapped", _replaced(node, elts=elts)


def _record(node: ast.Dict) -> Iterator[Change]:
    for values in _neighbours_swapped(node.values):
        yield "entries swapped", _replaced(node, values=values)


def _choice(node: ast.IfExp) -> Iterator[Change]:
    yield "choice lost", node.body
    yield "choice lost", node.orelse


def _branch(node: ast.If) -> Iterator[Change]:
    for test in (True, False):
        yield "condition forced", _replaced(node, test=ast.Constant(test))


def _context(node: ast.With) -> Iterator[Change]:
    yield "context lost", ast.If(ast.Constant(True), node.body, [])


def _loop(node: Any) -> Iterator[Change]:
    everything = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
    rest = ast.Subscript(everything, ast.Slice(ast.Constant(1)), ast.Load())
    yield "first turn lost", _replaced(node, iter=rest)


def _comprehension(node: Any) -> Iterator[Change]:
    for _, loop in _loop(node.generators[0]):
        yield "first turn lost", _replaced(node, generators=[loop, *node.generators[1:]])


def _attribute(node: ast.Attribute) -> Iterator[Change]:
    if node.attr == "T":
        yield "transpose forgotten", node.value


_BY_TYPE: dict[type, Callable[[Any], Iterator[Change]]] = {
    ast.BinOp: _binary,
    ast.AugAssign: _augmented,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _comparison,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.FunctionDef: _arguments,
    ast.Return: _returned,
    ast.Lambda: _returned,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Dict: _record,
    ast.IfExp: _choice,
    ast.If: _branch,
    ast.With: _context,
    ast.For: _loop,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.Attribute: _attribute,
}
