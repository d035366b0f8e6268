import pytest

from opbook.cli.scaffold import name_of
from opbook.errors import InputError

TAKEN = {"layer_norm", "where"}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("swish", "swish"),
        ("soft-clip", "soft_clip"),
        ("Soft.Clip", "soft_clip"),
        ("soft__-.clip", "soft_clip"),
        (" soft clip ", "soft_clip"),
        ("opbook-swish", "swish"),
        ("opbook_swish", "swish"),
        ("a", "a"),
        ("l2norm", "l2norm"),
        ("match", "match"),
        ("x" * 30, "x" * 30),
    ],
)
def test_what_is_typed_becomes_a_name(typed, name):
    assert name_of(typed, TAKEN) == name


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "must begin with a letter"),
        ("3d", "must begin with a letter"),
        ("_x", "must begin with a letter"),
        ("x-", "must begin with a letter"),
        ("naïve", "must begin with a letter"),
        ("../x", "must begin with a letter"),
        ("a/b", "must begin with a letter"),
        ("opbook-", "must begin with a letter"),
        ("x" * 31, "it has 31 letters; the limit is 30"),
        ("lambda", "means something in Python; choose another word, such as my_lambda"),
        ("Print", "print means something in Python"),
        ("then", "a word of the notation"),
        ("np", "the new module imports np"),
        ("NumPy", "a file of that name would hide the module numpy; choose another word, such as my_numpy"),
        ("typing", "would hide the module typing"),
        ("Layer-Norm", r"there is a builtin layer_norm already \(opbook show layer_norm\)"),
        ("text", "a package opbook_text is installed already"),
    ],
)
def test_what_can_be_no_name_is_refused_with_the_reason(typed, words):
    with pytest.raises(InputError, match=words) as caught:
        name_of(typed, TAKEN)
    assert repr(typed) in str(caught.value)
