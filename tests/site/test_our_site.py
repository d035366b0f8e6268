"""Our own site, built strictly once."""

import gzip
import html
import inspect
import json
import posixpath
import re
import zlib
from html.parser import HTMLParser

from site_projects import Project, broken_links

from opbook.pages.addresses import slugs
from opbook.plugins import hookspecs
from opbook.plugins.catalogue import catalogue

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
        assert "language-output" in page or "ob-figures" in page, f"{name} shows nothing that was computed"
        assert f'href="{name}/"' in index
        assert op.category.replace("&", "&amp;") in page


def test_the_example_of_the_guide_is_on_the_pages_of_all_that_it_calls(ours: Project) -> None:
    for name in ("layer_norm", "scaled_dot_product_attention", "multi_head_attention", "transformer_block"):
        page = ours.page(f"builtins/{name}")
        assert 'from <a href="../../learn/statistics-ml/">Statistics &amp; ML</a>' in page
    assert "multi_head_attention with 1 identity head matches plain self-attention: true" in page


def test_the_definition_and_the_rule_stand_on_the_page(ours: Project) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", "", ours.page("builtins/layer_norm")))
    assert "def layer_norm(x, gamma, beta, *, eps=1e-5):" in text
    assert "@layer_norm.defvjp" in text


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


def test_no_attributes_are_shown_as_text(ours: Project) -> None:
    for name, content in ours.files().items():
        if name.endswith(".html"):
            assert re.findall(rb"<p>\{:? ?[.#][^<]*\}", content) == [], name


def test_the_placeholders_are_filled(ours: Project) -> None:
    assert "np.einsum" in ours.page("reference/differentiable-numpy")
    assert "opbook site build" in ours.page("reference/cli")
    assert "opbook_builtins" in ours.page("reference/hooks")
    for name, content in ours.files().items():
        assert not (name.endswith(".html") and b"<!-- opbook:" in content), name


def test_every_builtin_shows_its_call_shapes_and_its_place_in_the_index(ours: Project) -> None:
    for name, op in catalogue().items():
        text = html.unescape(re.sub(r"<[^>]+>", "", ours.page(f"builtins/{name}")))
        assert all(str(shape) in text for shape in op.call_shapes), name
        category = ours.page(f"builtins/category/{slugs([op.category])[op.category]}")
        assert f'href="../../{name}/"' in category
        distribution = catalogue().plugin_of(name).source.distribution
        assert f'href="../../{name}/"' in ours.page(f"builtins/plugin/{distribution}")


def test_the_sections_of_a_page_stand_in_order(ours: Project) -> None:
    titles = "What it is,Definition,Example,How it works,Inputs and output,More examples,Gradient,Edge cases"
    expected = [*titles.split(","), "In other libraries"]
    page = ours.page("builtins/layer_norm")
    assert [html.unescape(title) for title in re.findall(r"<h2[^>]*>(.*?)<a", page)] == expected


def test_a_search_knows_other_names_where_no_reader_sees_them(ours: Project) -> None:
    index = ours.files()["search/opbook-index.js"].decode()
    pages = {page["url"]: page for page in json.loads(index.partition("=")[2].rstrip(";\n"))}
    page = pages["builtins/causal_mask/"]
    assert page["title"] == "causal_mask"
    assert {"causal mask", "triangular mask", "look-ahead mask"} <= set(page["words"])
    sections = [section for section in pages["builtins/softmax/"]["sections"] if section[1].startswith("Gradient")]
    assert sections == [["gradient", "Gradient", ""]], "a group of examples is no section to find"
    assert page["within"] == ["Builtin index", "Attention"]
    assert "<title>causal_mask - opbook</title>" in ours.page("builtins/causal_mask")


def test_the_guide_of_a_plugin_stands_beside_the_sites_own(ours: Project) -> None:
    learning = ours.page("learn/statistics-ml")
    assert re.search(r'<a href="../../builtins/guides/what-a-head-looks-at/" class="md-nav__link">', learning)
    page = ours.page("builtins/guides/what-a-head-looks-at")
    assert page.count('class="ob-figures"') == 3
    assert 'href="../../causal_mask/"' in page


def test_hooks_are_shown_with_their_signatures(ours: Project) -> None:
    text = re.sub(r"\s+", "", html.unescape(re.sub(r"<[^>]+>", "", ours.page("reference/hooks"))))
    returns = {"builtins": "Builtin", "rules": "Rule", "properties": "Property", "commands": "Command"}
    returns |= {"guides": "str|PathLike[str]", "sections": "Section", "families": "Family"}
    for name, hook in vars(hookspecs).items():
        if name.startswith("opbook_"):
            assert f"{name}()->Iterable[{returns[name.removeprefix('opbook_')]}]" in text
            assert re.sub(r"[\s`]+", "", inspect.getdoc(hook)) in text


def test_builtins_and_the_api_link_to_each_other(ours: Project) -> None:
    page = ours.page("builtins/layer_norm")
    assert 'href="../../reference/api/differentiation/#opbook.vjp"' in page
    assert 'href="../../reference/api/errors/#opbook.errors.InputError"' in page
    assert 'href="../../reference/api/catalogue/#opbook.ops"' in page
    listed = ours.page("reference/api/catalogue")
    for name in catalogue():
        assert f'href="../../../builtins/{name}/#builtin-{name}"' in listed


def test_every_local_link_leads_somewhere(ours: Project) -> None:
    broken, count = broken_links(ours.files())
    assert not broken, "\n".join(broken)
    assert count > 3000


def test_the_inventory_has_builtins_and_the_api(ours: Project) -> None:
    *_, body = ours.files()["objects.inv"].split(b"\n", 4)
    names = {line.split()[0] for line in zlib.decompress(body).decode().splitlines()}
    assert {f"opbook.ops.{name}" for name in catalogue()} | {f"builtin-{name}" for name in catalogue()} <= names
    assert {
        "opbook.autodiff.differentiate.vjp",
        "opbook.plugins.hookspecs.opbook_builtins",
        "opbook.errors.ShapeError",
    } <= names


def test_tapes_are_drawn(ours: Project) -> None:
    for name in ("layer_norm", "scaled_dot_product_attention", "multi_head_attention", "transformer_block", "gelu"):
        page = ours.page(f"builtins/{name}")
        assert re.search(rf'<svg class="ob-tape-picture".*?<title id="tape-{name}-title">', page, re.DOTALL), name
    assert "ob-tape-picture" not in ours.page("builtins/print")


def test_pages_stay_light(ours: Project) -> None:
    heavy = {
        name: len(c) for name, c in ours.files().items() if name.endswith(".html") and len(c) > 330_000
    }  # pictures come in both languages, a slider's for each of its values; a fifth of it goes over the wire
    assert not heavy


def test_every_formula_is_set_by_the_build(ours: Project) -> None:
    count = 0
    for name, content in ours.files().items():
        if name.endswith(".html"):
            page = content.decode()
            count += page.count("<math")
            assert page.count('class="arithmatex"') == page.count('class="arithmatex"><math'), name
    assert count > 100


def described(ours: Project) -> dict[str, tuple[str, str]]:
    """The title and the description of each page."""
    found = {}
    for name, content in ours.files().items():
        page = content.decode() if name.endswith(".html") else ""
        if page and name != "404.html" and 'http-equiv="refresh"' not in page:
            title, sentence = (
                re.search(p, page) for p in ("<title>(.*?)</title>", 'name="description" content="(.*?)"')
            )
            found[name] = title[1], sentence[1] if sentence else ""
    return found


def test_every_page_has_a_title_and_a_description_of_its_own(ours: Project) -> None:
    pages = described(ours)
    for each in (0, 1):
        seen: dict[str, str] = {}
        for name, words in pages.items():
            assert words[each], name
            assert words[each] not in seen, f"{name} and {seen[words[each]]} are both called {words[each]!r}"
            seen[words[each]] = name


def test_a_link_to_a_page_is_shown_with_its_words(ours: Project) -> None:
    page = ours.page("builtins/softmax")
    assert '<meta property="og:title" content="softmax">' in page
    assert '<meta property="og:description" content="Turns scores into weights' in page
    assert "og:image" not in page, "an image would have to be on a host"


def test_the_markdown_of_a_page_stands_beside_it(ours: Project) -> None:
    files = ours.files()
    for name in catalogue():
        text = files[f"builtins/{name}.md"].decode()
        assert f"\n# {name}\n" in text
        assert not re.search(r"<svg|<span|<div|\{ [.#]", text), name
        assert f'<link rel="alternate markdown" type="text/markdown" href="../{name}.md">' in ours.page(
            f"builtins/{name}"
        )
    assert r"\frac{" in files["builtins/layer_norm.md"].decode(), "formulas are LaTeX"
    assert "](softmax.md)" in files["builtins/attention_weights.md"].decode(), "and links lead to Markdown"
    whole = files["llms-full.txt"].decode()
    assert all(f"\n# {name}\n" in whole for name in catalogue())
    assert "Page: /howto/first-builtin/\n" in whole


def test_other_names_of_a_builtin_lead_to_it(ours: Project) -> None:
    for other, name in (("layernorm", "layer_norm"), ("sdpa", "scaled_dot_product_attention"), ("mseloss", "mse_loss")):
        assert f'content="0; url=../{name}/"' in ours.page(f"builtins/{other}")
    for name in catalogue():
        assert 'http-equiv="refresh"' not in ours.page(f"builtins/{name}")
    assert "builtins/layernorm" not in ours.files()["sitemap.xml"].decode()


def test_the_first_load_of_a_page_is_small(ours: Project) -> None:
    """With what its HTML names and the font of formulas; the index of the search comes when somebody searches."""
    files = ours.files()
    for name in ("layer_norm", "scaled_dot_product_attention", "transformer_block"):
        loads = Loads()
        loads.feed(ours.page(f"builtins/{name}"))
        local = {posixpath.normpath(posixpath.join(f"builtins/{name}", a)) for a in loads.addresses if a[:5] != "data:"}
        named = [files[path] for path in sorted(local) if path in files]
        assert len(named) > 8
        font = len(files["assets/opbook/math/opbook-math.woff2"])
        size = font + sum(len(gzip.compress(one)) for one in [*named, ours.page(f"builtins/{name}").encode()])
        assert size < 400_000, f"{name}: {size} bytes"
    assert len(gzip.compress(files["search/opbook-index.js"])) < 250_000
