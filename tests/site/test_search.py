"""What people type into the search, and the page that they should get first, in a real browser."""

import re

import pytest
from site_projects import Project, Visit

from opbook.plugins.catalogue import catalogue

api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright: pip install playwright")

pytestmark = pytest.mark.browser

QUERIES = """
softmax                                builtins/softmax
sofmax                                 builtins/softmax
log                                    builtins/log
where                                  builtins/where
np.where                               builtins/where
torch.cat                              builtins/concatenate
hstack                                 builtins/concatenate
flatten                                builtins/reshape
permute                                builtins/transpose
identity matrix                        builtins/eye
cumulative sum                         builtins/cumsum
np.linalg.norm                         builtins/norm
tensordot                              builtins/einsum
one hot                                builtins/one_hot
sdpa                                   builtins/scaled_dot_product_attention
attention                              builtins/scaled_dot_product_attention
flash attention                        builtins/scaled_dot_product_attention
F.scaled_dot_product_attention         builtins/scaled_dot_product_attention
self attention                         builtins/multi_head_attention
multihead                              builtins/multi_head_attention
nn.MultiheadAttention                  builtins/multi_head_attention
mask                                   builtins/causal_mask
look-ahead mask                        builtins/causal_mask
sliding window                         builtins/sliding_window_mask
LayerNorm                              builtins/layer_norm
layernorm                              builtins/layer_norm
layer nrom                             builtins/layer_norm
layer normalisation                    builtins/layer_norm
torch.nn.functional.layer_norm         builtins/layer_norm
RMSNorm                                builtins/rms_norm
batchnorm                              builtins/batch_norm
transformer encoder layer              builtins/transformer_block
BERT                                   builtins/transformer_block
positional encoding                    builtins/sinusoidal_positions
rotary embedding                       builtins/rope
cross entropy loss                     builtins/cross_entropy
nll_loss                               builtins/cross_entropy
label smoothing                        builtins/cross_entropy
adam optimizer                         builtins/adamw_step
momentum                               builtins/sgd_step
clipping gradients                     builtins/clip_by_global_norm
nucleus sampling                       builtins/top_p_filter
GELU tanh approximation                builtins/gelu
swish                                  builtins/silu
lstm                                   builtins/lstm_forward
bar chart                              builtins/bars
gradient                               builtins/grad
backpropagation                        builtins/grad
how to write a plugin                  howto/first-builtin
writing my own op                      howto/first-builtin
custom op                              howto/first-builtin
publish my plugin                      howto/ship-a-package
PyTorch                                howto/weights-from-torch
compare with PyTorch                   howto/check-a-kernel
PyTorch's convention                   builtins/guides/what-the-libraries-disagree-about
own kernel                             howto/check-a-kernel
KV cache                               builtins/append_to_cache
convolution                            builtins/conv2d
max pooling                            builtins/max_pool
learning rate                          builtins/cosine_schedule
hugging face                           howto/run-a-published-model
state_dict                             howto/weights-from-torch
is my kernel right?                    howto/check-a-kernel
NaN                                    howto/branches
why is my gradient nan                 howto/branches
how do I run the checks in CI          howto/test-in-ci
jupyter notebook                       howto/teach-with-it
autocompletion                         howto/editors
install                                howto/install
how do I install opbook                howto/install
error messages                         howto/refused
matmul                                 builtins/linear
torch.matmul                           builtins/linear
vjp                                    reference/api/differentiation
second derivative                      reference/api/differentiation
opbook verify                          reference/cli
disable a plugin                       reference/settings
broadcasting                           reference/annotations
numba                                  explanation/speed
how does the tape work                 explanation/design
tutorial                               learn/statistics-ml
"""
"""What is typed, and the page that has it."""


def typed() -> list[tuple[str, str]]:
    return [tuple(re.split(r"\s{2,}", line)) for line in QUERIES.strip().splitlines()]


def first(visit: Visit, queries: list[str]) -> dict[str, str]:
    """The address of the first page that is found for each query."""
    return visit.page.evaluate(
        """async (queries) => {
            const found = {};
            for (const query of queries) found[query] = (await opbookSearch.find(query))[0]?.page.url;
            return found;
        }""",
        queries,
    )


def test_a_query_finds_its_page_first(visit: Visit) -> None:
    visit.open("builtins/")
    wanted = {query: f"{page}/" for query, page in typed()}
    assert len(wanted) >= 60
    found = first(visit, list(wanted))
    assert found == wanted


def test_every_builtin_is_found_first_by_its_name(visit: Visit) -> None:
    visit.open("builtins/")
    wanted = {name: f"builtins/{name}/" for name in catalogue()}
    assert first(visit, list(wanted)) == wanted


def test_words_that_are_in_every_question_find_what_they_name_and_nothing_else(visit: Visit) -> None:
    visit.open("builtins/")
    assert first(visit, ["how to softmax", "softmax"])["how to softmax"] == "builtins/softmax/"
    count = "async (query) => (await opbookSearch.find(query)).length"
    assert visit.page.evaluate(count, "how do i softmax") == visit.page.evaluate(count, "softmax")
    assert visit.page.evaluate(count, "gel") > 0
    assert visit.page.evaluate(count, "ge") == 0, "two letters begin no word"


def test_a_search_with_the_keyboard(visit: Visit) -> None:
    visit.open("learn/statistics-ml/")
    assert not [url for url in visit.requests if "index.js" in url], "only a search needs the index"
    visit.page.keyboard.press("/")
    box = visit.page.get_by_role("combobox", name="Search")
    api.expect(box).to_be_focused()
    box.press_sequentially("softmax gradient")
    options = visit.page.get_by_role("option")
    api.expect(options.first).to_contain_text("softmax")
    api.expect(options.first).to_contain_text("add up to 1")
    api.expect(options.nth(1)).to_have_text("Gradient")
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("ArrowDown")
    api.expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == options.nth(1).get_attribute("id")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/builtins/softmax/#gradient")
    visit.assert_quiet()


def test_nothing_found_offers_the_nearest_names_and_to_write_it(visit: Visit) -> None:
    visit.open("builtins/")
    box = visit.page.get_by_role("combobox", name="Search")
    box.click()
    box.press_sequentially("zzsoftmaxx")
    status = visit.page.locator(".ob-search [role=status]")
    api.expect(status).to_contain_text("Nothing is found for “zzsoftmaxx”. Perhaps softmax")
    status.get_by_role("link", name="Write it in ten minutes").click()
    visit.page.wait_for_url("**/howto/first-builtin/")
    visit.page.keyboard.press("Escape")


def test_a_search_needs_no_server(ours: Project, browser: "api.Browser") -> None:
    context = browser.new_context(offline=True)
    visit = Visit(context.new_page(), f"{ours.site.as_uri()}/")
    visit.open("builtins/layer_norm/index.html")
    box = visit.page.get_by_role("combobox", name="Search")
    box.click()
    box.press_sequentially("relu")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/builtins/relu/index.html")
    context.close()


def test_a_page_that_is_not_there_suggests_the_nearest(visit: Visit, ours: Project) -> None:
    missing = (ours.site / "404.html").read_text(encoding="utf-8")
    visit.page.route("**/soft-maks/", lambda route: route.fulfill(body=missing, content_type="text/html"))
    visit.open("builtins/soft-maks/")
    suggested = visit.page.locator("[data-ob-suggest]")
    api.expect(suggested.get_by_role("link", name="softmax", exact=True)).to_be_visible()
    suggested.get_by_role("link", name="softmax", exact=True).click()
    visit.page.wait_for_url("**/builtins/softmax/")
    visit.assert_quiet()
