"""What the options of all optimizers must be."""

from opbook.errors import InputError


def check_not_negative(name, **options):
    """Refuse an option that is below 0, or NaN."""
    for option, value in options.items():
        if not value >= 0:
            raise InputError(f"{name}: {option} must be at least 0, but is {value:g}")


def check_share(name, **options):
    """Refuse an option that is not at least 0 and below 1."""
    for option, value in options.items():
        if not 0 <= value < 1:
            raise InputError(f"{name}: {option} must be at least 0 and below 1, but is {value:g}")
