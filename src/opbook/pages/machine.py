"""The site for machines: `builtins.json`, `llms.txt`, `llms-full.txt`, and what goes into `objects.inv`."""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from opbook.pages.addresses import Addresses
from opbook.pages.page import Book, BuiltinPage, Guide, Input, ShownCall, ShownExample
from opbook.pages.plain import readable

VERSION = 1
"""The version of the schema of `builtins.json`. It grows when a reader of an older one could be misled."""

Link = tuple[str, str, str, str, str]
"""An entry of an inventory: name, domain, role, address on the site, and a text to show."""


def builtins_json(book: Book, addresses: Addresses) -> str:
    """Write the catalogue as JSON."""
    entries = [_entry(page, addresses.url(addresses.builtins[page.name])) for page in book.pages.values()]
    whole = {"version": VERSION, "builtins": entries}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _entry(page: BuiltinPage, url: str) -> dict[str, Any]:
    origin, verification = page.origin, page.verification
    return {
        "name": page.name,
        "category": page.category,
        "summary": page.summary,
        "description": page.description,
        "aliases": list(page.aliases),
        "page": url,
        "calls": [_call(call) for call in page.calls],
        "formula": page.sections.get("Formula", ""),
        "how_it_works": page.note,
        "gradient": page.gradient.note,
        "examples": [_example(example) for example in page.examples],
        "refuses": [{"what": r.label, "error": r.error, "message": r.message} for r in page.edges.refused],
        "uses": list(page.uses),
        "used_by": list(page.used_by),
        "properties": list(page.properties),
        "rules": [
            {
                "name": r.name,
                "plugin": r.plugin,
                "distribution": r.distribution,
                "priority": r.priority,
                "asked": r.asked,
            }
            for r in page.rules
        ],
        "added_sections": [
            {"title": s.title, "text": s.text, "plugin": s.plugin, "distribution": s.distribution}
            for s in page.added_sections
        ],
        "plugin": {
            "name": origin.plugin,
            "distribution": origin.distribution,
            "version": origin.version,
            "licence": origin.licence,
            "third_party": bool(origin.mark),
            "replaces": list(origin.replaces),
        },
        "source": {"module": origin.module, "file": origin.file, "line": origin.line, "code": origin.code},
        "verification": None
        if verification is None
        else [{"check": c.name, "status": c.status, "inputs": c.inputs} for c in verification.checks],
    }


def _call(call: ShownCall) -> dict[str, Any]:
    return {
        "text": call.text,
        "inputs": [_input(one) for one in call.inputs],
        "output": {
            "name": call.output.name,
            "shape": call.output.shape,
            "description": call.output.description,
            "fields": {field.path: field.shape for field in call.output.fields},
        },
    }


def _input(one: Input) -> dict[str, Any]:
    return {
        "name": one.name,
        "shape": one.shape,
        "optional": one.optional,
        "default": one.default,
        "description": one.description,
        "fields": {field.path: field.shape for field in one.fields},
    }


def _example(example: ShownExample) -> dict[str, Any]:
    return {
        "language": example.language,
        "code": example.code,
        "output": example.output,
        "heading": example.heading,
        "guide": example.guide.uri if example.guide else None,
        "figures": [{"title": figure.title, "description": figure.description} for figure in example.figures],
        "frames": [{"name": one.name, "value": one.value, "output": one.printed} for one in example.frames],
        "skipped": example.skipped or None,
    }


def llms_txt(
    book: Book, addresses: Addresses, guides: Iterable[Guide], name: str, description: str, site_url: str
) -> str:
    """Write an overview of the site for language models, in the format of llmstxt.org.

    Args:
        book: The pages.
        addresses: Where they are.
        guides: The other pages.
        name: The site's name.
        description: What it is, in a sentence, or "".
        site_url: Its address, or ""; then links are relative to its root.
    """
    base = f"{site_url.rstrip('/')}/" if site_url else ""

    def entry(title: str, url: str, text: str = "") -> str:
        return f"- [{title}]({base + url or './'})" + (f": {' '.join(text.split())}" if text else "")

    parts = [f"# {name}", *([f"> {description}"] if description else [])]
    parts.append(
        f"{len(book.pages)} builtins: array operations for Python and for a small matrix notation, each with its "
        "definition in NumPy, its gradient, examples with their outputs, and checks. `from opbook.ops import NAME` "
        "imports one, `vjp` and `grad` of the package `opbook` differentiate it."
    )
    for category, members in book.categories().items():
        lines = (
            entry(page.name, addresses.url(addresses.builtins[page.name]), f"{_calls(page)}. {page.summary}")
            for page in members
        )
        parts.append(f"## {category}\n\n" + "\n".join(lines))
    pages = "\n".join(entry(guide.title, addresses.url(guide.uri)) for guide in guides)
    if pages:
        parts.append(f"## Guides and reference\n\n{pages}")
    optional = (
        entry("llms-full.txt", "llms-full.txt", "all pages in one text"),
        entry("builtins.json", "builtins.json", "all of the builtins' pages as JSON"),
    )
    parts.append("## Optional\n\n" + "\n".join(optional))
    return "\n\n".join(parts) + "\n"


def llms_full_txt(texts: Mapping[str, str], addresses: Addresses, name: str, description: str, site_url: str) -> str:
    """Write all pages as one text for language models, each below its address.

    Args:
        texts: The Markdown of each page by its address in the docs, in the order of reading.
        addresses: Where they are.
        name: The site's name.
        description: What it is, in a sentence, or "".
        site_url: Its address, or "".
    """
    base = f"{site_url.rstrip('/')}/" if site_url else "/"
    parts = [f"# {name}", *([f"> {description}"] if description else [])]
    parts += (f"Page: {base}{addresses.url(uri)}\n\n{readable(text).strip()}" for uri, text in texts.items())
    return "\n\n---\n\n".join(parts) + "\n"


def _calls(page: BuiltinPage) -> str:
    return ", ".join(f"`{call.text}`" for call in page.calls)


def links(book: Book, addresses: Addresses) -> list[Link]:
    """List what others may link to: for each builtin `opbook.ops.NAME` of Python, and the label `builtin-NAME`."""
    found: list[Link] = []
    for name in book.pages:
        url = f"{addresses.url(addresses.builtins[name])}#builtin-{name}"
        found.append((f"opbook.ops.{name}", "py", "function", url, name))
        found.append((f"builtin-{name}", "std", "label", url, name))
    return found


def inventory(entries: Iterable[Link], project: str) -> bytes:
    """Write an inventory as Sphinx and mkdocstrings read it."""
    header = (
        f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
        "# The remainder of this file is compressed using zlib.\n"
    )
    lines = (f"{name} {domain}:{role} 1 {url} {text}\n" for name, domain, role, url, text in sorted(entries))
    return header.encode() + zlib.compress("".join(lines).encode(), 9)
