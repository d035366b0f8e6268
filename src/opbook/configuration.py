"""What the user has set: which plugins, which are left out, and which of several rules runs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opbook.errors import ConfigurationError


@dataclass(frozen=True)
class Configuration:
    """What the user has set.

    Attributes:
        plugins: One-file plugins to load.
        disable: Plugins to leave out, by name, distribution, module or file.
        rules: For builtins, the name of the rule to ask first.
        strict: Whether a plugin that fails, or anything that does not fit together, is an error at once.
    """

    plugins: tuple[Path, ...] = ()
    disable: frozenset[str] = frozenset()
    rules: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False


def configuration(environment: Mapping[str, str] = os.environ) -> Configuration:
    """Read what the user has set.

    Args:
        environment: The environment variables.

    Returns:
        The settings.

    Raises:
        ConfigurationError: One of them is not understood.
    """
    return Configuration(
        tuple(Path(part) for part in environment.get("OPBOOK_PLUGINS", "").split(os.pathsep) if part),
        frozenset(_words(environment.get("OPBOOK_DISABLE", ""))),
        _pairs("OPBOOK_RULES", environment.get("OPBOOK_RULES", "")),
        environment.get("OPBOOK_STRICT") == "1",
    )


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _pairs(variable: str, text: str) -> dict[str, str]:
    pairs = {}
    for word in _words(text):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not (name and equals and value):
            raise ConfigurationError(
                f"{variable} must be pairs such as NAME=own, separated by commas, but has {word!r}"
            )
        pairs[name] = value
    return pairs
