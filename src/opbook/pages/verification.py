"""Runs the checks for the pages: in several processes, and not again while no source has changed."""

import hashlib
import multiprocessing
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import opbook
from opbook.builtin import Builtin
from opbook.catalogue import Catalogue, catalogue
from opbook.checks import CHECKS, Outcome, verify
from opbook.pages.findings import Verification, VerifiedCheck
from opbook.rules import OWN

BOUNDS = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
"""Errors are shown as the first of these that they stay below: the digits of an error are noise, its size is not."""

LEFT_OUT = ("examples", "layouts", "second order")
"""Examples the build has run already, and stops if one fails; the other two take as long as all the rest together, and
are left to `opbook verify`."""

MEASURED = {
    "rule value": "The rule's value equals the definition's",
    "rule gradient": "The rule's gradient equals the tape's through the definition",
    "differences": "The definition's gradient equals central differences",
}
"""The checks whose errors are shown, and how the sentence about each begins."""


def verified(loaded: Catalogue, names: Sequence[str], known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Verify builtins of the catalogue of this process.

    Args:
        loaded: That catalogue.
        names: The builtins.
        known: What this function returned before.

    Returns:
        For each builtin a result as plain values, with a `fingerprint` of the sources that it holds for. What is known
        for the same fingerprint is not run again.
    """
    fingerprints = _fingerprints(loaded)
    results = {
        name: result for name, result in (known or {}).items() if fingerprints.get(name) == result["fingerprint"]
    }
    # the longest first, so that no process is left alone with it at the end
    names = sorted((name for name in names if name not in results), key=lambda name: -_work(loaded[name]))
    if len(names) > 1 and "fork" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("fork")  # the plugins are loaded already
        with ProcessPoolExecutor(os.cpu_count(), context) as pool:
            found = list(pool.map(_verify_one, names))
    else:
        found = list(map(_verify_one, names))
    new = zip(names, found, strict=True)
    return results | {name: {"fingerprint": fingerprints[name], **result} for name, result in new}


def _work(op: Builtin) -> int:
    """A guess at how long a builtin's checks take: the more its annotations say, the more there is to vary."""
    return sum(len(repr(param.spec)) for shape in op.call_shapes for param in shape.params)


def read(result: Mapping[str, Any]) -> Verification:
    """Make a page's part of one result of [`verified`][opbook.pages.verification.verified].

    Args:
        result: The result, as it came out of JSON.

    Returns:
        The same as objects.
    """
    return Verification(tuple(VerifiedCheck(**check) for check in result["checks"]), tuple(result["sentences"]))


def _verify_one(name: str) -> dict[str, Any]:
    outcomes = verify([name], catalogue(), checks=[check for check in CHECKS if check not in LEFT_OUT])
    file = catalogue()[name].source_file  # a page names no folder of the machine that built it
    outcomes = [replace(outcome, message=outcome.message.replace(file, Path(file).name)) for outcome in outcomes]
    return asdict(Verification(tuple(map(_check, outcomes)), tuple(_sentences(outcomes))))


def _check(outcome: Outcome) -> VerifiedCheck:
    sentence = CHECKS[outcome.check].sentence if outcome.check in CHECKS else "There are inputs to check it with."
    name = outcome.check if outcome.rule == OWN else f"{outcome.check} [{outcome.rule}]"
    return VerifiedCheck(name, sentence, outcome.status, outcome.inputs, outcome.message)


def _sentences(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        if (
            outcome.rule == OWN
            and outcome.check in MEASURED
            and outcome.worst is not None
            and outcome.status == "passed"
        ):
            bound = next((b for b in BOUNDS if outcome.worst < b), None)
            if bound is not None:
                yield f"{MEASURED[outcome.check]} to within {bound:.0e}, on {outcome.inputs} inputs."


_IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


def _fingerprints(loaded: Catalogue) -> dict[str, str]:
    """For each builtin, a digest of opbook's source, of its plugin's, and of that of the plugins that it imports."""
    sources = {home: _source(home) for home in {Path(info.path).resolve() for info in loaded.plugins if info.path}}
    by_module = {home.parent.name: home for home in sources if home.name == "__init__.py"}

    def reached(home: Path, seen: set[Path]) -> set[Path]:
        seen.add(home)
        for module in set(_IMPORT.findall(sources[home])) & by_module.keys():
            if by_module[module] not in seen:
                reached(by_module[module], seen)
        return seen

    # a rule of another plugin may run inside any builtin
    rules = [
        f"{offer.rule} {loaded[name].asked} {sources[Path(offer.plugin.path).resolve()]}"
        for name in loaded
        for offer in loaded.offers(name)
    ]
    core = "".join([_source(Path(opbook.__file__).resolve()), *rules])
    homes = {name: Path(loaded.plugin_of(name).path).resolve() for name in loaded}
    digests = {
        home: hashlib.sha256("".join([core, *(sources[h] for h in sorted(reached(home, set())))]).encode()).hexdigest()
        for home in set(homes.values())
    }
    return {name: digests[home] for name, home in homes.items()}


def _source(home: Path) -> str:
    """The source of a package, given its `__init__.py`, or of a single file."""
    files = sorted(home.parent.rglob("*.py")) if home.name == "__init__.py" else [home]
    return "".join(f"{file.name}\n{file.read_text(encoding='utf-8', errors='replace')}" for file in files)
