from sybil import Sybil
from sybil.sybil import SybilCollection

from opbook.testing.sybil import ExampleParser

pytest_plugins = "pytester"

parsers = [ExampleParser()]
pytest_collect_file = SybilCollection(
    [
        Sybil(parsers, path="docs", pattern="*.md"),
        Sybil(
            parsers, path="plugins", pattern="*.md", excludes=["**/examples.md", "**/guides/*.md"]
        ),  # opbook's pytest plugin has those
        Sybil(parsers, pattern="README.md", excludes=["*/README.md"]),
    ]
).pytest()
