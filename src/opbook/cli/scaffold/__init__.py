"""Makes a new plugin: a distribution that is verified, tested and published as it stands, or one file."""

from opbook.cli.scaffold.making import Made, make_distribution, make_file
from opbook.cli.scaffold.naming import name_of

__all__ = ["Made", "make_distribution", "make_file", "name_of"]
