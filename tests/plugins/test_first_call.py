"""What is installed and configured decides which rule answers, whatever was imported before, from the first call on."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

OWNER = '''
from opbook import Array, builtin, hookimpl

@builtin(category="Tests")
def twice(x: Array["..."]) -> Array["..."]:
    """Doubles x."""
    return 2 * x

@twice.defvjp
def _(x):
    print("own")
    return 2 * x, lambda g: (2 * g,)

AT_IMPORT

@hookimpl
def opbook_builtins():
    return [twice]
'''

FAST = '''
from opbook import Rule, builtin, Array, hookimpl
from first_call_owner import twice

@builtin(category="Tests")
def four_times(x: Array["..."]) -> Array["..."]:
    """Doubles x twice."""
    return twice(twice(x))

def fast(x):
    print("fast")
    return x + x, lambda g: (g + g,)

@hookimpl
def opbook_builtins():
    return [four_times]

@hookimpl
def opbook_rules():
    return [Rule("twice", "fast", fast)]
'''


class Installed:
    """Two installed plugins: one has `twice`, the other a faster rule for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, code in (("owner", OWNER.replace("AT_IMPORT", "")), ("fast", FAST)):
            (folder / f"first_call_{name}.py").write_text(code, encoding="utf-8")
            info = folder / f"first_call_{name}-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Name: first-call-{name}\nVersion: 1.0\n", encoding="utf-8")
            (info / "entry_points.txt").write_text(f"[opbook]\n{name} = first_call_{name}\n", encoding="utf-8")

    def run(self, code: str, **settings: str) -> list[str]:
        """What a process of its own prints, in which these plugins are installed."""
        settings = {"PYTHONPATH": str(self.folder), "OPBOOK_PLUGINS": "", **settings}
        command = [sys.executable, "-c", dedent(code)]
        environment = os.environ | settings
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()


@pytest.fixture
def installed(tmp_path):
    return Installed(tmp_path)


ORDERS = {
    "the op alone": "from first_call_owner import twice",
    "the op, then the catalogue": "from first_call_owner import twice; import opbook.ops; dir(opbook.ops)",
    "the catalogue, then the op": "import opbook.ops; dir(opbook.ops); from first_call_owner import twice",
    "through the catalogue": "from opbook.ops import twice",
}


@pytest.mark.parametrize("imports", ORDERS.values(), ids=ORDERS)
def test_one_rule_answers_whatever_was_imported(installed, imports):
    calls = "; twice(1.0); import opbook; opbook.vjp(twice, 1.0); twice.rule(1.0)"
    assert installed.run(imports + calls) == ["fast"] * 3
    assert installed.run(imports + calls, OPBOOK_RULES="twice=own") == ["own"] * 3
    assert installed.run(imports + calls, OPBOOK_DISABLE="first-call-fast") == ["own"] * 3


def test_the_rule_of_the_op_is_the_first_thing_that_is_asked_for(installed):
    assert installed.run("from first_call_owner import twice; twice.rule(1.0)") == ["fast"]


def test_another_catalogue_does_not_change_what_the_process_uses(installed):
    code = """
        import os
        from first_call_owner import twice
        from opbook.plugins.catalogue import load
        os.environ["OPBOOK_RULES"] = "twice=own"
        beside = load()
        del os.environ["OPBOOK_RULES"]
        twice(1.0); beside["twice"](1.0); beside["four_times"](1.0); twice(1.0)
    """
    assert installed.run(code) == ["fast", "own", "fast", "fast", "fast"]


def test_a_plugin_that_calls_a_builtin_while_it_is_imported_is_loaded_all_the_same(installed):
    code = OWNER.replace("AT_IMPORT", "twice(1.0)")
    (installed.folder / "first_call_owner.py").write_text(code, encoding="utf-8")
    call = "; twice(1.0); print(len(twice.rules))"
    assert installed.run("from first_call_owner import twice" + call) == ["own", "fast", "1"]
    assert installed.run("from opbook.ops import twice" + call) == ["own", "fast", "1"]


def test_what_no_catalogue_has_keeps_its_own_rule(installed):
    code = """
        from opbook import Array, builtin
        import opbook
        @builtin(category="Tests")
        def twice(x: Array["..."]) -> Array["..."]:
            "Doubles x."
            return 2 * x
        @twice.defvjp
        def _(x):
            print("mine")
            return 2 * x, lambda g: (2 * g,)
        twice(1.0)
        from opbook.ops import twice as other
        twice(1.0)
        print(other is twice)
    """
    assert installed.run(code) == ["mine", "mine", "False"]


def test_importing_opbook_loads_no_plugin(installed):
    assert installed.run("import opbook, sys; print('first_call_owner' in sys.modules)") == ["False"]


def test_many_first_calls_at_once_get_one_rule(installed):
    code = """
        import threading
        from first_call_owner import twice
        barrier = threading.Barrier(8)
        def call():
            barrier.wait()
            twice(1.0)
        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    assert "".join(installed.run(code)) == "fast" * 8
