"""Faulty plugins, as real distributions in an environment of their own, all of them at once.

Each costs what it adds itself and nothing else, is named with what to do, and the advice works.
"""

import json
import shutil

import pytest
from distributions import Environment, write_wheel
from one_file_plugin import TWICE


def good(name):
    return TWICE.replace("twice", name)


FAULTS = {
    "opbook-no-import": "import a_module_that_is_not_there",
    "opbook-exits": "import sys; sys.exit('not on this machine')",
    "opbook-raises": good("raised").replace("return [raised]", "return 1 / 0"),
    "opbook-half": good("half") + "\n@hookimpl\ndef opbook_rules():\n    raise OSError('no device')\n",
    "opbook-misspelt": good("misspelt").replace("opbook_builtins", "opbook_builtin"),
    "opbook-argument": good("argued").replace("opbook_builtins()", "opbook_builtins(catalog)"),
    "opbook-class": good("classy") + "\nclass Plugin:\n    pass\n",
    "opbook-instance": good("instance").replace("[instance]", "[type(instance)]"),
    "opbook-future": good("future"),
}
"""Code by distribution; what makes the last but two and the last wrong stands beside the code."""

MESSAGES = {
    "opbook-no-import": ["ModuleNotFoundError: No module named 'a_module_that_is_not_there'"],
    "opbook-exits": ["SystemExit: not on this machine"],
    "opbook-raises": ["ZeroDivisionError: division by zero, raised in opbook_builtins()"],
    "opbook-half": ["OSError: no device, raised in opbook_rules()"],
    "opbook-misspelt": ["there is no hook opbook_builtin. Did you mean opbook_builtins"],
    "opbook-argument": [
        "opbook_builtins has an argument catalog, which the hook does not have. Write def opbook_builtins(). Mend"
    ],
    "opbook-class": ["must name a module, such as opbook_class, but this one names opbook_class:Plugin"],
    "opbook-instance": ["Builtin'>, which is a class, where an instance is expected"],
    "opbook-future": ["made for opbook <100,>=99, and this is opbook 0.", "pip install --upgrade opbook opbook-future"],
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    wheels = [
        write_wheel(folder, "opbook-good", good("doubled")),
        write_wheel(folder, "opbook-norms-a", good("a_norm"), point="norms"),
        write_wheel(folder, "opbook-norms-b", good("b_norm"), point="norms"),
        write_wheel(folder, "opbook-twin-a", good("twin")),
        write_wheel(folder, "opbook-twin-b", good("twin").replace("2 * x", "3 * x"), version="2.0"),
    ]
    for name, code in FAULTS.items():
        target = "opbook_class:Plugin" if name == "opbook-class" else None
        requires = ["opbook>=99,<100"] if name == "opbook-future" else ["numpy", "opbook"]
        wheels.append(write_wheel(folder, name, code, target=target, requires=requires))
    made = Environment(folder / "environment")
    made.install(*wheels)
    return made


@pytest.fixture
def opbook(environment, tmp_path):
    """Run the command there, in an empty folder."""

    def run(*arguments, **variables):
        return environment.run("-m", "opbook", *arguments, cwd=tmp_path, **variables)

    return run


@pytest.fixture(scope="module")
def entries(environment, tmp_path_factory):
    done = environment.run("-m", "opbook", "plugins", "--json", cwd=tmp_path_factory.mktemp("empty"))
    assert done.returncode == 0, done.stderr
    return {entry["distribution"]: entry for entry in json.loads(done.stdout)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_plugin_is_named_with_what_to_do(entries, name):
    entry = entries[name]
    handle = name.removeprefix("opbook-").replace("-", "_")
    assert (entry["state"], entry["version"], entry["builtins"], entry["rules"]) == ("failed", "1.0", [], [])
    assert entry["error"].startswith(f"{name} 1.0 (entry point {handle} = {entry['module']}): ")
    for words in MESSAGES[name]:
        assert words in entry["error"]
    advice = f"OPBOOK_DISABLE={handle}, for good with: opbook plugins disable {handle}"
    assert entry["error"].endswith(f"Mend it, or leave it out with {advice}")
    assert "\n" not in entry["error"]


def test_the_others_work_and_nothing_is_half_there(opbook, entries):
    assert entries["opbook-good"]["state"] == entries["opbook-layer-norm"]["state"] == "loaded"
    assert opbook("eval", "doubled(layer_norm([1, 1], [1, 1], [2, 2]))").stdout == "[4, 4]\n"
    listed = opbook("list").stdout
    for name in ("half", "raised", "misspelt", "argued", "classy", "instance", "future"):
        assert f"  {name} " not in listed


def test_every_command_mentions_the_failures_once(opbook):
    done = opbook("eval", "1 + 1")
    assert (done.returncode, done.stdout) == (0, "2\n")
    assert done.stderr.splitlines()[0] == f"{len(FAULTS)} plugins failed to load: opbook plugins says why"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["opbook-exits", "opbook-future"])
def test_strict_raises_the_first_and_its_advice_leads_to_the_next(opbook, name):
    others = [other for other in FAULTS if other != name]
    done = opbook("list", OPBOOK_STRICT="1", OPBOOK_DISABLE=",".join(others))
    assert done.returncode == 2
    assert done.stderr.startswith(f"opbook: {name} 1.0 (entry point ")
    assert len(done.stderr.splitlines()) == 1
    done = opbook("list", OPBOOK_STRICT="1", OPBOOK_DISABLE=",".join([*FAULTS, "twin_b"]))
    assert done.returncode == 0, done.stderr


def test_disabling_for_good(opbook, tmp_path):
    assert opbook("plugins", "disable", "half").returncode == 2  # there is no file to write that into
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "mine"  # of all names\n', encoding="utf-8")
    assert opbook("plugins", "disable", "half").stdout == f"Disabled half in {file}.\n"
    entries = {entry["name"]: entry["state"] for entry in json.loads(opbook("plugins", "--json").stdout)}
    assert (entries["half"], entries["raises"], entries["good"]) == ("disabled", "failed", "loaded")
    assert opbook("plugins", "enable", "opbook-half").stdout == f"Enabled opbook-half in {file}.\n"
    entries = {entry["name"]: entry["state"] for entry in json.loads(opbook("plugins", "--json").stdout)}
    assert entries["half"] == "failed"


def test_two_plugins_of_one_name_are_told_apart_by_their_distributions(opbook, entries):
    assert entries["opbook-norms-a"]["state"] == entries["opbook-norms-b"]["state"] == "loaded"
    done = opbook("eval", "a_norm(1)", OPBOOK_DISABLE="opbook-norms-b")
    assert done.stdout == "2\n"
    done = opbook("eval", "b_norm(1)", OPBOOK_DISABLE="opbook-norms-b")
    assert "b_norm" in done.stderr
    assert done.returncode == 2


def test_two_builtins_of_one_name_are_an_error_whose_advice_works(opbook, tmp_path):
    done = opbook("eval", "twin(1)")
    assert done.returncode == 2
    message = next(line for line in done.stderr.splitlines() if "claim" in line)
    assert message == (
        "2 plugins claim the builtin twin: opbook-twin-a 1.0 (entry point twin_a = opbook_twin_a) and opbook-twin-b "
        "2.0 (entry point twin_b = opbook_twin_b). Choose with OPBOOK_OVERRIDE=twin=twin_a or "
        "OPBOOK_OVERRIDE=twin=twin_b, or leave one out with OPBOOK_DISABLE=twin_a or OPBOOK_DISABLE=twin_b. For good, "
        'write override = {twin = "twin_a"} under [tool.opbook] in pyproject.toml'
    )
    assert opbook("eval", "twin(1)", OPBOOK_OVERRIDE="twin=twin_b").stdout == "3\n"
    assert opbook("eval", "twin(1)", OPBOOK_DISABLE="twin_a").stdout == "3\n"
    (tmp_path / "pyproject.toml").write_text('[tool.opbook]\noverride = {twin = "twin_a"}\n', encoding="utf-8")
    assert opbook("eval", "twin(1)").stdout == "2\n"


def test_one_distribution_on_two_paths_counts_once(environment, opbook, tmp_path):
    linked, copied = tmp_path / "linked", tmp_path / "copied"
    linked.symlink_to(environment.packages)
    copied.mkdir()
    for path in environment.packages.glob("opbook_good*"):
        shutil.copytree(path, copied / path.name)
    entries = json.loads(opbook("plugins", "--json", PYTHONPATH=f"{linked}:{copied}").stdout)
    assert [entry["state"] for entry in entries if entry["name"] == "good"] == ["loaded"]
    assert len({entry["distribution"] for entry in entries}) == len(entries)


def test_an_installed_plugin_that_is_also_named_as_a_file_counts_once(environment, opbook):
    file = environment.packages / "opbook_good" / "__init__.py"
    done = opbook("plugins", "--json", "--plugin", file)
    assert [entry["name"] for entry in json.loads(done.stdout) if entry["path"] == str(file)] == ["good"]


def test_import_times_are_shown_slowest_first(opbook):
    rows = [line.split() for line in opbook("plugins", "--times").stdout.splitlines()]
    seconds = [float(row[0]) for row in rows[:-1]]
    assert seconds == sorted(seconds, reverse=True)
    assert {"good", "exits"} <= {row[-1] for row in rows[:-1]}


def test_doctor_finds_all_of_it(opbook):
    done = opbook("doctor", "--json")
    assert done.returncode == 1
    wrong = [finding for finding in json.loads(done.stdout) if finding["status"] == "wrong"]
    assert {finding["about"] for finding in wrong} == {
        "builtins",
        *(f"plugin {name.removeprefix('opbook-').replace('-', '_')}" for name in FAULTS),
    }
    done = opbook("doctor", OPBOOK_DISABLE=",".join([*FAULTS, "twin_a"]))
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("Nothing is wrong.\n")
