from sybil import Sybil
from sybil.sybil import SybilCollection

from opbook.sybil import ExampleParser

pytest_plugins = "pytester"

parsers = [ExampleParser()]
pytest_collect_file = SybilCollection(
    [
        Sybil(parsers, path="docs", pattern="*.md"),
        Sybil(parsers, path="plugins", pattern="*.md"),
        Sybil(parsers, pattern="README.md", excludes=["*/README.md"]),
    ]
).pytest()
