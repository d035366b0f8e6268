"""A course in array operations, as an opbook plugin: chapters with exercises, and the command that checks them."""

from pathlib import Path

from opbook import hookimpl


@hookimpl
def opbook_guides():
    """Bring along the chapters, in order."""
    return sorted(path.relative_to(Path(__file__).parent) for path in Path(__file__).parent.glob("guides/*.md"))


@hookimpl
def opbook_commands():
    """Add `opbook course`."""
    from opbook_course.command import course

    return [course]
