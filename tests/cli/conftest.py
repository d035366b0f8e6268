from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from opbook.cli import main

Invoke = Callable[..., Result]


@pytest.fixture(autouse=True)
def own_catalogue(own_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test is a process of its own, without the settings of whoever runs it."""
    for name in ("OPBOOK_DISABLE", "OPBOOK_STRICT", "OPBOOK_DEBUG", "OPBOOK_RULES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPBOOK_PLUGINS", "")


@pytest.fixture
def opbook() -> Invoke:
    """Run `opbook ARGUMENTS`; the result has exit_code, stdout and stderr."""

    def invoke(*arguments: str | Path, input: str | bytes | None = None) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input, prog_name="opbook")

    return invoke


@pytest.fixture
def one_file_plugin(tmp_path: Path) -> Path:
    """A plugin that adds `twice`."""
    path = tmp_path / "doubling_ops.py"
    path.write_text(
        dedent('''
            from opbook import Array, builtin, hookimpl

            print("this plugin talks while it is imported")

            # The note.
            @builtin(category="Doubling")
            def twice(x: Array["..."]) -> Array["..."]:
                """Doubles every entry.

                Args:
                    x: What to double.
                """
                return 2 * x

            @hookimpl
            def opbook_builtins():
                return [twice]
        '''),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def broken_plugin(tmp_path: Path) -> Path:
    path = tmp_path / "broken_ops.py"
    path.write_text("import no_such_module_at_all\n", encoding="utf-8")
    return path
