"""What a plugin's code may do to the process: it is undone, named, or told in time."""

import os
import signal
import subprocess
import sys

import pytest
from one_file_plugin import TWICE

from opbook.plugins.catalogue import load

ADVICE = "leave it out with OPBOOK_DISABLE=endless"


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Writes a plugin of one file, with nothing else that happens to be installed."""
    monkeypatch.setattr("opbook.plugins.discovery.installed", lambda: [])
    (tmp_path / "good.py").write_text(TWICE, encoding="utf-8")

    def write(code):
        path = tmp_path / "bad.py"
        path.write_text(code, encoding="utf-8")
        return [path, tmp_path / "good.py"]

    return write


def in_hook(code):
    return TWICE.replace("twice", "thrice").replace("    return [thrice]", f"    {code}")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os._exit(0)", "it calls os._exit(0), which would end the process"),
        (in_hook("import os; os._exit(7)"), "it calls os._exit(7), which would end the process"),
        (in_hook("raise KeyboardInterrupt"), "it raises KeyboardInterrupt"),
        ("raise KeyboardInterrupt", "it raises KeyboardInterrupt"),
        (in_hook("raise GeneratorExit"), "GeneratorExit"),
        (in_hook("import sys; sys.exit()"), "SystemExit"),
    ],
)
def test_what_would_end_the_process_is_named(plugin, code, words):
    loaded = load(plugin(code))
    (info,) = [info for info in loaded.plugins if info.state == "failed"]
    assert words in info.error
    assert "OPBOOK_DISABLE=bad" in info.error
    assert loaded["twice"](2.0) == 4


def test_what_is_changed_is_put_back(plugin):
    before = sys.getrecursionlimit(), os._exit, signal.getsignal(signal.SIGINT)
    load(plugin(f"import sys; sys.setrecursionlimit(150)\n{in_hook('import os; os._exit(1)')}"))
    assert (sys.getrecursionlimit(), os._exit, signal.getsignal(signal.SIGINT)) == before


def test_a_child_that_is_forked_may_end(plugin):
    fork = "import os\nchild = os.fork()\nif not child:\n    os._exit(3)\n"
    loaded = load(
        plugin(f"{fork}assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3\n{in_hook('return []')}")
    )
    assert [info.state for info in loaded.plugins] == ["loaded", "loaded"]


@pytest.mark.parametrize("code", ["while True: pass", in_hook("while True: pass")])
def test_one_that_never_ends_is_named_and_ctrl_c_says_where_it_was(tmp_path, code):
    path = tmp_path / "endless.py"
    path.write_text(code, encoding="utf-8")
    # in the background, a process begins with SIGINT ignored
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from opbook.plugins import guard; guard.PATIENCE = 0.1\n"
        "from opbook.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "eval", "1", "--plugin", str(path)]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = next(line for line in process.stderr if "endless" in line)
            assert line == f"opbook: still waiting for {path}; Ctrl-C stops it, and you can {ADVICE}\n"
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert f"opbook was waiting for {path}; {ADVICE}" in said
    assert process.returncode == 130
