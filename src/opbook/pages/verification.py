"""Runs the checks for the pages: in several processes, and not again while nothing that they depend on has changed."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from opbook.builtins.builtin import Builtin
from opbook.builtins.rule import OWN
from opbook.checks import Check, Outcome, verify
from opbook.checks.verification import checks_of
from opbook.examples.processes import spread
from opbook.pages import cache
from opbook.pages.fingerprints import fingerprints
from opbook.pages.page import Verification, VerifiedCheck
from opbook.plugins.catalogue import Catalogue

BOUNDS = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
"""Errors are shown as the first of these that they stay below: the digits of an error are noise, its size is not."""


def verified(loaded: Catalogue, names: Sequence[str], file: Path | None = None) -> dict[str, Verification]:
    """Verify builtins.

    Args:
        loaded: Where they are.
        names: The builtins.
        file: Where the results are kept from build to build, or None.

    Returns:
        For each builtin what its checks said. What is kept for the same fingerprint is not run again.
    """
    loaded.load_samples()
    prints = fingerprints(loaded)
    known = cache.read(file) if file else {}
    kept = {name: result for name, result in known.items() if prints.get(name) == result["fingerprint"]}
    # the longest first, so that no process is left alone with it at the end
    missing = sorted((name for name in names if name not in kept), key=lambda name: -_work(loaded[name]))
    new = zip(missing, spread(lambda name: _verify_one(name, loaded), missing), strict=True)
    kept |= {name: {"fingerprint": prints[name], **result} for name, result in new}
    if file and missing:
        with suppress(OSError):
            cache.write(file, kept)
    return {name: _from_json(kept[name]) for name in names}


def _work(op: Builtin) -> int:
    """A guess at how long a builtin's checks take: the more its annotations say, the more there is to vary."""
    return sum(len(repr(param.spec)) for shape in op.call_shapes for param in shape.params)


def _from_json(result: Mapping[str, Any]) -> Verification:
    return Verification(tuple(VerifiedCheck(**check) for check in result["checks"]), tuple(result["sentences"]))


def _verify_one(name: str, loaded: Catalogue) -> dict[str, Any]:
    op = loaded[name]
    # the build has run the examples already, and stops if one fails; what is slow is left to `opbook verify`
    checks = {check.name: check for check in checks_of(op) if not check.needs_examples and not check.is_slow}
    outcomes = verify([name], loaded, checks=checks)
    file = op.source_file  # a page names no folder of the machine that built it
    outcomes = [replace(outcome, message=outcome.message.replace(file, Path(file).name)) for outcome in outcomes]
    slow = [VerifiedCheck(c.name, c.sentence, "left out", 0, "") for c in checks_of(op) if c.is_slow]
    return asdict(Verification((*map(_check, outcomes), *slow), tuple(_sentences(outcomes, checks))))


def _check(outcome: Outcome) -> VerifiedCheck:
    name = outcome.check if outcome.rule == OWN else f"{outcome.check} [{outcome.rule}]"
    return VerifiedCheck(name, outcome.sentence, outcome.status, outcome.inputs, outcome.message)


def _sentences(outcomes: Iterable[Outcome], checks: Mapping[str, Check]) -> Iterable[str]:
    for outcome in outcomes:
        measured = checks[outcome.check].measures if outcome.check in checks else ""
        if measured and outcome.rule == OWN and outcome.worst is not None and outcome.status == "passed":
            bound = next((b for b in BOUNDS if outcome.worst < b), None)
            if bound is not None:
                yield f"{measured} to within {bound:.0e}, on {outcome.inputs} inputs."
