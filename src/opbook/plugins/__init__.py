"""Plugins: the hooks, how plugins are found and loaded, what they contribute, and the catalogue that comes of it.

It imports `builtins` and `autodiff`; the notation, the checks and the pages are built on it.
"""
