"""The guide on what libraries disagree about: its sections, and the builtins that each is about."""

import re

PAGE = "what-the-libraries-disagree-about.md"

DISAGREEMENTS = {
    "The reset of a GRU": ("gru_forward",),
    "Where eps stands in Adam": ("adamw_step",),
    "What decays in Adam": ("adamw_step",),
    "Three meanings of momentum": ("sgd_step",),
    "The running variance of a batch norm": ("batch_norm",),
    "The momentum of a batch norm": ("batch_norm",),
    "The eps of a layer norm": ("layer_norm",),
    "The form of gelu": ("gelu",),
    "The slope of abs at 0": ("abs",),
    "What true means in a mask": ("scaled_dot_product_attention",),
    "Causal, with fewer queries than keys": ("causal_mask",),
    "How many keys a window holds": ("sliding_window_mask",),
    "Whose keys a query head uses": ("grouped_query_attention",),
    "Softcap and mask": ("attention_weights",),
    "A query that may attend to nothing": ("scaled_dot_product_attention",),
    "Which entries rope turns together": ("rope",),
    "The edge of top-p": ("top_p_filter",),
    "A mean with weights": ("cross_entropy",),
    "A cross entropy that ignores every row": ("cross_entropy",),
    "Where label smoothing puts it": ("cross_entropy",),
    "Whose divergence from whom": ("kl_divergence",),
    "The mean of a divergence": ("kl_divergence",),
    "Huber and smooth L1": ("huber_loss",),
    "The square of an error, or half of it": ("mse_loss",),
    'The side of "same"': ("conv2d",),
    "Equal entries in a pool": ("max_pool", "max"),
}
"""By heading, in the order of the guide, the builtins that it links to; their pages link back."""


def anchor(heading: str) -> str:
    """Where a heading is on its page."""
    return "-".join(re.findall(r"\w+", heading.lower()))


def links(builtin: str) -> str:
    """A sentence for a builtin's page that leads to the sections that it is in, or ""."""
    mine = [heading for heading, builtins in DISAGREEMENTS.items() if builtin in builtins]
    listed = " · ".join(f"[{heading}](guides/{PAGE}#{anchor(heading)})" for heading in mine)
    return f"What they disagree about: {listed}." if mine else ""
