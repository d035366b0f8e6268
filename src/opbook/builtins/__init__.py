"""What a builtin is: annotations, call shapes, the definition, rules for its gradient, and how a call is answered.

It imports `autodiff` and the errors, and knows neither plugins nor pages.
"""
