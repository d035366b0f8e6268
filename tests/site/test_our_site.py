"""Our own site, built strictly once."""

import re
from html.parser import HTMLParser

from site_projects import Project

from opbook.catalogue import catalogue

LOADED = {
    "script": "src",
    "link": "href",
    "img": "src",
    "source": "src",
    "iframe": "src",
    "video": "src",
    "use": "href",
}


class Loads(HTMLParser):
    """Collects the addresses that a browser fetches by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in LOADED and attributes.get("rel") not in ("canonical", "prev", "next"):
            self.addresses.append(attributes.get(LOADED[tag]) or "")


def test_every_builtin_has_its_page_and_its_line_in_the_index(ours: Project) -> None:
    index = ours.page("builtins")
    for name, op in catalogue().items():
        page = ours.page(f"builtins/{name}")
        assert f'id="builtin-{name}"' in page
        assert "language-output" in page, f"{name} shows no output"
        assert f'href="{name}/"' in index
        assert op.category.replace("&", "&amp;") in page


def test_the_example_of_the_guide_is_on_the_pages_of_all_that_it_calls(ours: Project) -> None:
    for name in ("layer_norm", "scaled_dot_product_attention", "multi_head_attention", "transformer_block"):
        page = ours.page(f"builtins/{name}")
        assert 'from <a href="../../learn/statistics-ml/">Statistics &amp; ML</a>' in page
    assert "multi_head_attention with 1 identity head matches plain self-attention: true" in page


def test_signature_and_source_come_from_mkdocstrings(ours: Project) -> None:
    page = ours.page("builtins/layer_norm")
    assert 'id="opbook_layer_norm.layer_norm"' in page
    text = re.sub(r"<[^>]+>", "", page)
    assert "gamma: Array[&#34;D&#34;]" in text or 'gamma: Array["D"]' in text.replace("&quot;", '"')
    assert "def layer_norm(" in text.replace("&#39;", "'")


def test_nothing_is_loaded_from_elsewhere(ours: Project) -> None:
    for name, content in ours.files().items():
        if name.endswith(".html"):
            loads = Loads()
            loads.feed(content.decode())
            elsewhere = [address for address in loads.addresses if re.match(r"(https?:)?//", address)]
        elif name.endswith(".css"):
            elsewhere = re.findall(r"(?:url\(|@import )['\"]?((?:https?:)?//[^)'\"]*)", content.decode())
        else:
            continue
        assert not elsewhere, f"{name} loads {elsewhere}"


def test_no_path_of_this_machine_is_published(ours: Project) -> None:
    for name, content in ours.files().items():
        if name.endswith((".html", ".json", ".xml")):
            assert str(ours.folder).encode() not in content, name


def test_the_placeholders_are_filled(ours: Project) -> None:
    assert "np.einsum" in ours.page("reference/differentiable-numpy")
    assert "opbook site build" in ours.page("reference/cli")
    assert "opbook_builtins" in ours.page("reference/hooks")
    for name, content in ours.files().items():
        assert not (name.endswith(".html") and b"<!-- opbook:" in content), name


def test_pages_stay_light(ours: Project) -> None:
    heavy = {
        name: len(content)
        for name, content in ours.files().items()
        if name.endswith(".html") and len(content) > (400_000 if name.startswith("reference/api") else 150_000)
    }
    assert not heavy
