"""What the page "What the libraries disagree about" says, asked of the libraries themselves, where they are installed.

The answers of a section are what its example printed, each behind its label. A check computes a library's answer, which
must be the one behind the label that the page has the library under.
"""

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import opbook_elsewhere
import pytest
from opbook_elsewhere.disagreements import DISAGREEMENTS, PAGE, anchor
from peers.libraries import CHECKS
from peers.libraries.tools import load

from opbook import Section
from opbook.examples import find
from opbook.plugins.catalogue import catalogue

TEXT = Path(opbook_elsewhere.__file__).with_name("guides").joinpath(PAGE).read_text("utf-8")
EXAMPLES = find(Path(opbook_elsewhere.__file__).with_name("guides") / PAGE)
PARTS = dict(part.split("\n", 1) for part in TEXT.split("\n## ")[1:])
LAST = "What it was checked with"

MODULES = {
    "Flax": "flax",
    "JAX": "jax",
    "Keras": "keras",
    "ONNX": "onnx",
    "Optax": "optax",
    "PyTorch": "torch",
    "SciPy": "scipy",
    "transformers": "transformers",
}


def answers(heading):
    """What the example of a section printed, by label."""
    (example,) = (one for one in EXAMPLES if one.heading == heading)
    lines = (line.split(":", 1) for line in example.output.splitlines())
    return {label: np.array(ast.literal_eval(value.replace("nan", "None")), float) for label, value in lines}


def who(heading):
    """Whose answer is whose, by label: the names behind it."""
    found = re.findall(r"^- \*\*(.+?)\*\*: (.+(?:\n  .+)*)", PARTS[heading], re.MULTILINE)
    return {label: " ".join(names.split()) for label, names in found}


def test_every_section_has_its_builtins_and_its_checks():
    assert list(PARTS) == [*DISAGREEMENTS, LAST]
    assert set(CHECKS) == set(DISAGREEMENTS)
    for heading, builtins in DISAGREEMENTS.items():
        linked = re.findall(r"\(\.\./(\w+)\.md\)", PARTS[heading])
        assert tuple(dict.fromkeys(linked)) == builtins, heading
        assert set(who(heading)) <= set(answers(heading)), heading


def test_the_pages_of_the_builtins_lead_to_it():
    for name in {name for builtins in DISAGREEMENTS.values() for name in builtins}:
        (section,) = catalogue().contributions(Section, name)
        for heading, builtins in DISAGREEMENTS.items():
            assert (f"(guides/{PAGE}#{anchor(heading)})" in section.thing.text) == (name in builtins), name


@pytest.mark.parametrize("heading", DISAGREEMENTS)
def test_a_library_that_is_named_was_asked_or_read(heading):
    for label, names in who(heading).items():
        for library in MODULES:
            named = re.search(rf"\b{library}\b(?![^,]*\(read\))", names)
            assert bool(named) == ((library, label) in {check[:2] for check in CHECKS[heading]}), (label, library)


@pytest.mark.peer
@pytest.mark.parametrize(
    ("heading", "library", "label", "ask"), [(heading, *check) for heading, all_ in CHECKS.items() for check in all_]
)
def test_the_answer_of_a_library(heading, library, label, ask):
    load(MODULES[library], library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array(ask(), float)
    np.testing.assert_allclose(found, answers(heading)[label], atol=6e-5, err_msg=f"{library}: {label}")


@pytest.mark.peer
@pytest.mark.parametrize("library", MODULES)
def test_the_page_names_the_version_that_it_was_checked_with(library):
    installed = load(MODULES[library], library).__version__
    written = re.search(rf"^\| {library} \| (.+) \|$", PARTS[LAST], re.MULTILINE)[1]
    assert installed.split(".")[:2] == written.split(".")[:2], (
        f"{PAGE} was checked with {library} {written}, and {installed} is installed: if all answers above are still "
        "the same, write that version into its table"
    )
