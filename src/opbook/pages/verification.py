"""Runs the checks for the pages: in several processes, and not again while no source has changed."""

import hashlib
import multiprocessing
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import opbook
from opbook.catalogue import Catalogue, catalogue
from opbook.checks import CHECKS, Outcome, verify
from opbook.pages.findings import Verification, VerifiedCheck

BOUNDS = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
"""Errors are shown as the first of these that they stay below: the digits of an error are noise, its size is not."""

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
        `results`, by builtin, as plain values, and a `fingerprint` of the sources that they hold for. If the
        fingerprint of `known` still holds, nothing is run.
    """
    fingerprint = _fingerprint(loaded, names)
    if known and known["fingerprint"] == fingerprint:
        return dict(known)
    if "fork" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("fork")  # the plugins are loaded already
        with ProcessPoolExecutor(os.cpu_count(), context) as pool:
            results = dict(zip(names, pool.map(_verify_one, names), strict=True))
    else:
        results = {name: _verify_one(name) for name in names}
    return {"fingerprint": fingerprint, "results": results}


def read(result: Mapping[str, Any]) -> Verification:
    """Make a page's part of one of the `results` of [`verified`][opbook.pages.verification.verified].

    Args:
        result: The result, as it came out of JSON.

    Returns:
        The same as objects.
    """
    return Verification(tuple(VerifiedCheck(**check) for check in result["checks"]), tuple(result["sentences"]))


def _verify_one(name: str) -> dict[str, Any]:
    # examples are left out: the build has run them already, and stops if one fails
    outcomes = verify([name], catalogue(), checks=[check for check in CHECKS if check != "examples"])
    file = catalogue()[name].source_file  # a page names no folder of the machine that built it
    outcomes = [replace(outcome, message=outcome.message.replace(file, Path(file).name)) for outcome in outcomes]
    return asdict(Verification(tuple(map(_check, outcomes)), tuple(_sentences(outcomes))))


def _check(outcome: Outcome) -> VerifiedCheck:
    sentence = CHECKS[outcome.check].sentence if outcome.check in CHECKS else "There are inputs to check it with."
    return VerifiedCheck(outcome.check, sentence, outcome.status, outcome.inputs, outcome.message)


def _sentences(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        if outcome.check in MEASURED and outcome.worst is not None and outcome.status == "passed":
            bound = next((b for b in BOUNDS if outcome.worst < b), None)
            if bound is not None:
                yield f"{MEASURED[outcome.check]} to within {bound:.0e}, on {outcome.inputs} inputs."


def _fingerprint(loaded: Catalogue, names: Sequence[str]) -> str:
    """A digest of all source that a verification depends on, and of what is verified."""
    digest = hashlib.sha256(" ".join(names).encode())
    homes = {Path(info.path).resolve() for info in loaded.plugins if info.path} | {Path(opbook.__file__).resolve()}
    for home in sorted(homes):
        for file in sorted(home.parent.rglob("*.py")) if home.name == "__init__.py" else [home]:
            digest.update(str(file).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
