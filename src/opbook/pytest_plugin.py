"""Makes pytest verify plugins: for each `examples.md` of one, every check of its builtins and rules, and every example.

It comes with opbook and needs no configuration. A file named `examples.md` that belongs to no plugin is left alone, and
projects without one pay nothing.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from opbook.builtin import Builtin
from opbook.examples.finding import EXAMPLES_PAGE


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the examples page of a plugin.

    Args:
        file_path: The file.
        parent: What it is collected into.

    Returns:
        What collects the file, or None if it is no such page.
    """
    if file_path.name != EXAMPLES_PAGE:
        return None
    module = file_path.with_name("__init__.py")
    code = module.read_text(encoding="utf-8", errors="replace") if module.is_file() else ""
    if "opbook_builtins" not in code and "opbook_rules" not in code:
        return None
    return PluginFile.from_parent(parent, path=file_path, subjects=_subjects_beside(file_path))


def _subjects_beside(page: Path) -> list[tuple[Builtin, str]]:
    """The builtins and rules of the plugin whose module stands in the page's folder; none if it is not loaded."""
    from opbook.catalogue import catalogue
    from opbook.rules import OWN

    loaded = catalogue()
    folder = page.parent.resolve()
    plugins = [p for p in loaded.plugins if p.path and not p.source.is_file and Path(p.path).resolve().parent == folder]
    own = [(loaded[name], OWN) for plugin in plugins for name in plugin.builtins if name in loaded]
    offers = [offer for name in loaded for offer in loaded.offers(name) if offer.plugin in plugins]
    return own + [(loaded[offer.rule.builtin], offer.rule.name) for offer in offers]


class PluginFile(pytest.File):
    """The examples page of a plugin, with the checks of the plugin's builtins and the page's examples as its tests."""

    def __init__(self, subjects: list[tuple[Builtin, str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.subjects = subjects

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One test for each check of each builtin and rule, then one for each example."""
        from sybil import Sybil
        from sybil.integration.pytest import SybilFile

        from opbook.checks import CHECKS
        from opbook.checks.running import applies
        from opbook.rules import OWN
        from opbook.sybil import ExampleParser

        if not self.subjects:
            yield NotLoadedItem.from_parent(self, name="not loaded")
        for op, rule in self.subjects:
            label = op.name if rule == OWN else f"{op.name} [{rule}]"
            for name, check in CHECKS.items():
                if name != "examples" and applies(check, rule):  # examples are tests of their own, below
                    yield CheckItem.from_parent(self, name=f"{label}::{name}", builtin=op, check=name, rule=rule)
        sybil = Sybil([ExampleParser()], path=str(self.path.parent), pattern=self.path.name)
        page: Any = SybilFile.from_parent(self.parent, path=self.path, sybils=[sybil])
        yield from page.collect()


class NotLoadedItem(pytest.Item):
    """Stands for a plugin of which nothing can be verified, and fails."""

    def runtest(self) -> None:
        """Say what to do."""
        raise AssertionError(
            f"{self.path.parent.name} is a plugin that is not installed, or that could not be loaded, so nothing of it "
            "was verified: install it (pip install -e .), or see what opbook plugins says"
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone."""
        return str(excinfo.value)


class CheckItem(pytest.Item):
    """One check of one rule of one builtin."""

    def __init__(self, builtin: Builtin, check: str, rule: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.builtin = builtin
        self.check = check
        self.rule = rule

    def runtest(self) -> None:
        """Run the check."""
        from opbook.checks import CHECKS
        from opbook.testing import run_one

        run_one(self.builtin, CHECKS[self.check], self.rule)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone: a traceback through the checks tells an author nothing.

        Args:
            excinfo: What the check raised.
            style: How pytest would write a traceback.

        Returns:
            The message, or a traceback if it was no check that failed.
        """
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the builtin's source."""
        return Path(self.builtin.source_file), self.builtin.source_line - 1, self.name
