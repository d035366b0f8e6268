"""Makes pytest verify plugins: for each `examples.md` of one, every check of its builtins and rules, and every example.

The examples of guides and families that a plugin brings along are run too. It comes with opbook and needs no
configuration. Other Markdown files are left alone, and projects without plugins pay nothing.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from opbook.builtins.builtin import Builtin
from opbook.examples.collection import EXAMPLES_PAGE


def pytest_configure(config: pytest.Config) -> None:
    """Have the settings of the tested project hold, wherever pytest was called."""
    from opbook.plugins.settings import start_at

    start_at(config.rootpath)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the examples page of a plugin, or another page that it brings along.

    Returns:
        What collects the file, or None if it is no such page.
    """
    if file_path.name != EXAMPLES_PAGE:
        return _page(file_path, parent) if _is_brought_along(file_path) else None
    module = file_path.with_name("__init__.py")
    code = module.read_text(encoding="utf-8", errors="replace") if module.is_file() else ""
    if "opbook_builtins" not in code and "opbook_rules" not in code:
        return None
    subjects, unused = _subjects_beside(file_path)
    return PluginFile.from_parent(parent, path=file_path, subjects=subjects, unused=unused)


def _is_brought_along(file: Path) -> bool:
    """Whether a plugin brings a file along as a guide or for a category; only a package of a plugin has one loaded."""
    if file.suffix != ".md":
        return False
    modules = (folder / "__init__.py" for folder in file.parents)
    module = next((path for path in modules if path.is_file()), None)
    code = module.read_text(encoding="utf-8", errors="replace") if module else ""
    if "opbook_guides" not in code and "opbook_families" not in code:
        return False
    from opbook.plugins.catalogue import catalogue

    return any(page.resolve() == file.resolve() for info in catalogue().plugins for page in info.documents)


def _page(path: Path, parent: Any) -> Any:
    """What collects the examples of a page."""
    from sybil import Sybil
    from sybil.integration.pytest import SybilFile

    from opbook.testing.sybil import ExampleParser

    sybil = Sybil([ExampleParser()], path=str(path.parent), pattern=path.name)
    return SybilFile.from_parent(parent, path=path, sybils=[sybil])


def _subjects_beside(page: Path) -> tuple[list[tuple[Builtin, str]], list[str]]:
    """The builtins and rules of the plugin whose module stands in the page's folder, and what is wrong with others.

    Both are empty if the plugin is not loaded.
    """
    from opbook.builtins.rule import OWN, Rule
    from opbook.plugins.catalogue import catalogue

    loaded = catalogue()
    loaded.load_samples()
    folder = page.parent.resolve()
    plugins = [p for p in loaded.plugins if p.path and not p.source.is_file and Path(p.path).resolve().parent == folder]
    rules = [one.thing for name in loaded for one in loaded.contributions(Rule, name) if one.plugin in plugins]
    pairs = [(name, OWN) for plugin in plugins for name in plugin.contributes["builtins"] if name in loaded]
    pairs += [(rule.builtin, rule.name) for rule in rules]
    return [(loaded[name], rule) for name, rule in pairs], [
        message for info in plugins for message in (info.error, *info.unused) if message
    ]


class PluginFile(pytest.File):
    """The examples page of a plugin, with the checks of the plugin's builtins and the page's examples as its tests."""

    def __init__(self, subjects: list[tuple[Builtin, str]], unused: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.subjects = subjects
        self.unused = unused

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One test for each check of each builtin and rule, then one for each example."""
        from opbook.builtins.rule import OWN
        from opbook.checks.verification import applies, checks_of

        if not self.subjects and not self.unused:
            yield WrongItem.from_parent(self, name="not loaded", message=NOT_LOADED.format(self.path.parent.name))
        for message in self.unused:
            yield WrongItem.from_parent(self, name="not used", message=message)
        for op, rule in self.subjects:
            label = op.name if rule == OWN else f"{op.name} [{rule}]"
            for check in checks_of(op):
                if not check.needs_examples and applies(check, rule):  # examples are tests of their own, below
                    yield CheckItem.from_parent(self, name=f"{label}::{check.name}", builtin=op, check=check, rule=rule)
        yield from _page(self.path, self.parent).collect()


NOT_LOADED = (
    "{} is a plugin that is not installed, or that could not be loaded, so nothing of it was verified: install it "
    "(pip install -e .), or see what opbook plugins says"
)


class WrongItem(pytest.Item):
    """Stands for something of a plugin that can't be verified, and fails."""

    def __init__(self, message: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.message = message

    def runtest(self) -> None:
        """Say what to do."""
        raise AssertionError(self.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone."""
        return str(excinfo.value)


class CheckItem(pytest.Item):
    """One check of one rule of one builtin."""

    def __init__(self, builtin: Builtin, check: Any, rule: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.builtin = builtin
        self.check = check
        self.rule = rule

    def runtest(self) -> None:
        """Run the check."""
        from opbook.testing import run_one

        run_one(self.builtin, self.check, self.rule)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone: a traceback through the checks tells an author nothing."""
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the builtin's source."""
        return Path(self.builtin.source_file), self.builtin.source_line - 1, self.name
