"""`samples.py`: the second module of a plugin, with what its builtins are verified on; only the checks load it."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
from distributions import write_wheel
from one_file_plugin import TWICE

from opbook import Array, builtin
from opbook.checks import verify
from opbook.checks.inputs import samples_of
from opbook.errors import DeclarationError, PluginError
from opbook.plugins.catalogue import load
from opbook.testing import check

SAMPLES = """
from opbook import Property, hookimpl
from opbook_twice import twice

@twice.samples
def _(draw):
    yield draw.known("by hand", 6.0, 3.0)
    yield draw.edge("the largest", 1e307)

@hookimpl
def opbook_properties():
    return [Property("twice", "halves", "Half of it is x.", lambda op, x: (op(x) / 2, x))]
"""


@pytest.fixture
def half():
    @builtin(category="Tests")
    def half(x: Array["..."]) -> Array["..."]:
        """Halves x."""
        return x / 2

    return half


def install(folder, samples):
    """Put a distribution into a folder: a package `opbook_twice`, with a `samples.py` of some text."""
    with zipfile.ZipFile(write_wheel(folder, "opbook-twice", TWICE)) as wheel:
        wheel.extractall(folder)
    if samples is not None:
        (folder / "opbook_twice" / "samples.py").write_text(samples, encoding="utf-8")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs the plugin in this process, until the test ends."""
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda samples: install(tmp_path, samples)
    for name in ("opbook_twice", "opbook_twice.samples"):
        sys.modules.pop(name, None)
    monkeypatch.undo()
    load()


@pytest.fixture
def opbook(tmp_path):
    """Runs commands, each in a process of its own, where the plugin is installed."""

    def run(samples, *arguments, code=None):
        install(tmp_path, samples)
        command = ["-c", code] if code else ["-m", "opbook", *arguments]
        settings = {name: value for name, value in os.environ.items() if not name.startswith("OPBOOK_")}
        settings |= {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, *command], cwd=tmp_path, env=settings, capture_output=True, text=True)

    return run


@pytest.mark.parametrize(
    "code",
    [
        "import opbook",
        "from opbook.ops import twice, layer_norm; assert twice(2.0) == 4",
        "from opbook_layer_norm import layer_norm; layer_norm([[1.0, 2.0]], [1.0, 1.0], [0.0, 0.0])",
        "from opbook.cli import main; main(['list'], standalone_mode=False)",
        "from opbook.cli import main; main(['eval', 'twice(2)'], standalone_mode=False)",
    ],
)
def test_only_the_checks_load_it(opbook, code):
    done = opbook(SAMPLES, code=f"{code}\nimport sys; print([m for m in sys.modules if m.endswith('.samples')])")
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def test_verify_runs_on_it(opbook):
    outcomes = json.loads(opbook(SAMPLES, "verify", "twice", "--json").stdout)
    by_check = {outcome["check"]: outcome for outcome in outcomes}
    assert by_check["halves"]["status"] == by_check["known answers"]["status"] == "passed"
    wrong = opbook(SAMPLES.replace("6.0", "7.0"), "verify", "twice")
    assert wrong.returncode == 1
    assert "by hand" in wrong.stdout
    assert "Half of it is x. (twice)" in opbook(SAMPLES, "verify", "--list").stdout
    assert json.loads(opbook(SAMPLES, "show", "twice", "--json").stdout)["properties"] == ["Half of it is x."]


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ("import cheese", "ModuleNotFoundError: No module named 'cheese'"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        (SAMPLES.replace("opbook_properties", "opbook_property"), "Did you mean opbook_properties?"),
        (SAMPLES.replace("opbook_properties", "opbook_rules"), "samples.py may have opbook_properties only"),
        (SAMPLES.replace('"Half of it is x."', "3"), "builtin, name and sentence of a property must be texts"),
        (SAMPLES + SAMPLES, "opbook_twice.samples gives it samples in line 5 and in line 17"),
    ],
)
def test_one_that_fails_is_named(package, monkeypatch, samples, words):
    package(samples)
    loaded = load()
    assert loaded.conflicts() == []
    loaded.load_samples()
    (message,) = loaded.conflicts()
    assert words in message
    assert "opbook-twice 1.0" in message
    assert "OPBOOK_DISABLE=twice" in message
    assert loaded["twice"](2.0) == 4
    assert loaded.plugin_of("twice").state == "loaded"
    (outcome,) = verify(["twice"], loaded)
    assert (outcome.status, outcome.message) == ("failed", message)
    assert {outcome.status for outcome in verify(["sqrt"], loaded, checks=["definition"])} == {"passed"}
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError) as error:
        load().load_samples()
    assert words in str(error.value)


def test_commands_go_on_without_one_that_fails(opbook):
    broken = "raise ValueError('no samples today')"
    for arguments, code in ((["verify", "twice"], 1), (["plugins"], 0), (["doctor"], 1), (["show", "twice"], 0)):
        done = opbook(broken, *arguments)
        assert done.returncode == code
        assert "ValueError: no samples today" in " ".join((done.stdout + done.stderr).split())
    assert opbook(broken, "eval", "twice(2)").stdout == "4\n"


def test_a_package_without_one_is_verified_on_what_its_annotations_say(opbook):
    done = opbook(None, "verify", "twice", "--check", "definition")
    assert (done.returncode, done.stderr) == (0, "")


def test_samples_in_the_same_file(half):
    @half.samples
    def given(draw):
        yield draw.edge("a pair", [1.0, 2.0])

    assert [sample.label for sample in samples_of(half)].count("a pair") == 1
    assert half.samples(given) is given  # as when a module is imported once more
    assert [sample.label for sample in samples_of(half)].count("a pair") == 1
    with pytest.raises(DeclarationError, match=r"half: .*test_samples gives it samples in line \d+ and in line \d+"):

        @half.samples
        def _(draw):
            yield (3.0,)

    with pytest.raises(DeclarationError, match="samples come from a function of draw, not from 3"):
        half.samples(3)


def test_a_known_answer_there_is_held_against_the_definition(half):
    @half.samples
    def _(draw):
        yield draw.known("by hand", 2.0, 3.0)

    with pytest.raises(AssertionError, match="by hand"):
        check(half, ["known answers"])
