"""Figures on pages: put where their marks stand."""

from opbook.pages.figures.placing import Gallery, hide, illustrate, place

__all__ = ["Gallery", "hide", "illustrate", "place"]
