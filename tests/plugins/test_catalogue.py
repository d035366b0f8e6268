"""Loading plugins: from files here, from entry points through a stand-in for the installed distributions."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from one_file_plugin import TWICE

from opbook import Builtin, ops
from opbook.errors import BuiltinImportError, PluginError, UnknownBuiltinError
from opbook.plugins import catalogue
from opbook.plugins.catalogue import load


class Installed(importlib.metadata.Distribution):
    """Stands in for a distribution that is installed."""

    def __init__(self, name, version, point, module, requires):
        self._path = Path(f"/site/{name.replace('-', '_')}-{version}.dist-info")
        needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
        self.files_of = {
            "METADATA": f"Name: {name}\nVersion: {version}\nLicense-Expression: MIT\n{needs}",
            "entry_points.txt": f"[opbook]\n{point} = {module}\n",
        }

    def read_text(self, filename):
        return self.files_of.get(filename)

    def locate_file(self, path):
        return self._path.parent / path


@pytest.fixture
def installed(monkeypatch):
    """Stands in for what is installed: a function that adds a distribution with one module."""
    points = []

    def add(code, *, name="twice", dist="opbook-twice", version="1.0", module=None, requires=None):
        module = module or f"installed_{len(points)}"
        if isinstance(code, str):
            made = ModuleType(module)
            made.__file__ = f"/site/{module}.py"
            exec(compile(code, made.__file__, "exec"), made.__dict__)
            monkeypatch.setitem(sys.modules, module, made)
        points.append(Installed(dist, version, name, module, requires or ()))

    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: list(points))
    monkeypatch.delenv("OPBOOK_PLUGINS", raising=False)
    return SimpleNamespace(add=add, points=points)


def write(path, code):
    path.write_text(code, encoding="utf-8")
    return path


def test_importing_opbook_loads_no_plugin():
    code = "import sys, opbook; print([m for m in sys.modules if m.startswith('opbook_')], 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[] False"


def test_builtins_are_importable_by_name():
    from opbook.ops import layer_norm

    assert isinstance(layer_norm, Builtin)
    assert "layer_norm" in dir(ops)
    with pytest.raises(BuiltinImportError, match=r"no builtin layer_nrom. Did you mean layer_norm\?"):
        from opbook.ops import layer_nrom  # noqa: F401
    assert not hasattr(ops, "_ipython_display_")


def test_a_distribution_and_what_is_known_of_it(installed):
    installed.add(TWICE)
    loaded = load()
    assert list(loaded) == ["twice"]
    info = loaded.plugin_of("twice")
    assert (info.state, info.contributes["builtins"], info.path) == ("loaded", ["twice"], "/site/installed_0.py")
    assert (info.source.distribution, info.source.version, info.source.licence) == ("opbook-twice", "1.0", "MIT")
    assert list(loaded.categories()) == ["Tests"]


def test_one_file_plugins_by_argument_and_by_environment(installed, tmp_path, monkeypatch):
    file = write(tmp_path / "my_ops.py", TWICE)
    assert load([file])["twice"]([1.0]).tolist() == [2]
    monkeypatch.setenv("OPBOOK_PLUGINS", str(file))
    loaded = load([file])  # twice the same file: once
    assert [p.source.name for p in loaded.plugins] == ["my_ops"]
    assert loaded.plugin_of("twice").source.is_file


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise ImportError('no cheese')", ["ImportError: no cheese"]),
        ("import sys; sys.exit(3)", ["SystemExit: 3"]),
        ("x = (", ["SyntaxError"]),
        (TWICE.replace("return [twice]", "raise ValueError('in the hook')"), ["ValueError: in the hook"]),
        (
            TWICE.replace("def opbook_builtins", "def opbook_builtin"),
            ["opbook_builtin", "Did you mean opbook_builtins?"],
        ),
        (TWICE.replace("opbook_builtins()", "opbook_builtins(config)"), ["config"]),
        (TWICE.replace("@hookimpl", ""), ["no hook", "@hookimpl"]),
        (TWICE.replace("return [twice]", "return twice"), ["must return a list"]),
        (TWICE.replace("return [twice]", "return [twice.definition]"), ["no builtin", "@builtin(category=...)"]),
        ("from opbook.ops import layer_norm", ["opbook.ops can't be used while plugins are being loaded"]),
        (TWICE.replace("return [twice]", "return [twice, twice]"), ["2 builtins named twice"]),
        (TWICE.replace('category="Tests"', "category=3"), ["category"]),
        (TWICE.replace('category="Tests"', 'category="Tests", aliases="two"'), ['aliases=("two",)']),
        ("class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd", ["Odd", "no message"]),
        (TWICE.replace('"""Doubles x."""', ""), ["DeclarationError: twice needs a docstring"]),
    ],
)
def test_a_plugin_that_fails_is_named_and_skipped(installed, tmp_path, monkeypatch, code, words):
    monkeypatch.setattr("opbook.plugins.catalogue._default", None)
    installed.add(TWICE.replace("twice", "other"))
    bad = write(tmp_path / "bad.py", code)
    loaded = load([bad])
    assert list(loaded) == ["other"]
    (info,) = [p for p in loaded.plugins if p.state == "failed"]
    assert info.contributes["builtins"] == []
    for word in (*words, str(bad), "OPBOOK_DISABLE=bad"):
        assert word in info.error
    with pytest.raises(UnknownBuiltinError, match="Plugins that failed to load: bad"):
        loaded["twice"]
    monkeypatch.setenv("OPBOOK_STRICT", "1")
    with pytest.raises(PluginError, match="bad"):
        load([bad])
    monkeypatch.setenv("OPBOOK_DISABLE", "bad")
    assert [p.state for p in load([bad]).plugins] == ["disabled", "loaded"]


def test_a_file_named_like_a_module_does_not_take_its_place(installed, tmp_path):
    load([write(tmp_path / "colorsys.py", TWICE)])
    import colorsys

    assert hasattr(colorsys, "rgb_to_hsv")


def test_a_missing_file_is_named(installed, tmp_path):
    (info,) = load([tmp_path / "gone.py"]).plugins
    assert "no such file" in info.error
    assert "gone.py" in info.error


def test_two_of_one_name_are_an_error_that_names_both_in_any_order(installed):
    installed.add(TWICE)
    installed.add(TWICE, name="double", dist="opbook-double", version="2.0")
    installed.add(TWICE.replace("twice", "other"), name="other", dist="opbook-other")
    for _ in range(2):
        loaded = load()
        assert list(loaded) == ["other"]
        with pytest.raises(PluginError) as caught:
            loaded["twice"]
        for word in ("opbook-double 2.0", "opbook-twice 1.0", "OPBOOK_DISABLE=double", "OPBOOK_DISABLE=twice"):
            assert word in str(caught.value)
        assert loaded.conflicts() == [str(caught.value)]
        installed.points.reverse()


def test_the_same_plugin_seen_twice_counts_once(installed):
    installed.add(TWICE)
    installed.points.append(installed.points[0])
    assert len(load().plugins) == 1


def test_the_default_catalogue_is_loaded_once():
    assert catalogue.catalogue() is catalogue.catalogue()


def test_an_entry_point_must_name_a_module(installed, monkeypatch):
    installed.add(TWICE, module="some_class")
    monkeypatch.setitem(sys.modules, "some_class", type("Plugin", (), {"__file__": ""}))
    (info,) = load().plugins
    assert "must name a module" in info.error


def test_advice_tells_plugins_of_one_name_apart(installed, monkeypatch):
    installed.add(TWICE)
    installed.add(TWICE.replace("2 * x", "3 * x"), dist="opbook-thrice")
    (message,) = load().conflicts()
    assert "OPBOOK_OVERRIDE=twice=opbook-thrice or OPBOOK_OVERRIDE=twice=opbook-twice" in message
    assert "OPBOOK_DISABLE=opbook-thrice or OPBOOK_DISABLE=opbook-twice" in message
    monkeypatch.setenv("OPBOOK_OVERRIDE", "twice=twice")  # which both are called
    assert "2 plugins claim the builtin twice" in load().conflicts()[0]
    monkeypatch.setenv("OPBOOK_OVERRIDE", "twice=opbook-thrice")
    assert load()["twice"](1.0) == 3


def test_two_entry_points_of_one_module_count_once(installed):
    installed.add(TWICE)
    installed.add(None, name="again", module="installed_0")
    (info,) = load().plugins
    assert info.state == "loaded"
    installed.add(None, name="other", dist="opbook-other", module="installed_0")
    first, second = load().plugins
    assert (first.source.distribution, first.state) == ("opbook-other", "loaded")
    assert "its module is the one of opbook-other 1.0" in second.error


@pytest.mark.parametrize(
    ("requirement", "state"),
    [
        ("opbook", "loaded"),
        ("opbook>=0.1", "loaded"),
        ("opbook (>=99)", "failed"),
        ("opbook[cli] >= 99", "failed"),
        ("opbook<0.1", "failed"),
        ("opbook>=99; extra == 'later'", "loaded"),
        ("opbook-later>=99", "loaded"),
        ("opbook=>1", "loaded"),  # which is no requirement
    ],
)
def test_a_plugin_states_the_versions_that_it_was_made_for(installed, requirement, state):
    installed.add(TWICE, requires=["numpy", requirement])
    (info,) = load().plugins
    assert info.state == state
    assert ("made for opbook" in info.error) == (state == "failed")
