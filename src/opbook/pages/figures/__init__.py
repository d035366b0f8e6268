"""Figures on pages: drawn as SVG, kept from build to build, and put where their marks stand."""

from opbook.pages.figures.cache import Cache
from opbook.pages.figures.placing import Gallery, hide, illustrate, place

__all__ = ["Cache", "Gallery", "hide", "illustrate", "place"]
