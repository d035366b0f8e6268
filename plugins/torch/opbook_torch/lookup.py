"""Embedding."""

from opbook_embedding import check_padding

from opbook_torch.engine import by_torch, constant, differentiated, torch


@by_torch
def embedding(table, ids, *, padding_id=None):
    """The rule."""
    check_padding(table, padding_id)
    places = constant(ids).long()
    return differentiated(lambda table, _: torch().nn.functional.embedding(places, table, padding_id), table, ids)
