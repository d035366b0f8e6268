import pytest

from opbook.examples import disagreement


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", ""),
        ("a\n", "a"),
        ("a  \nb\n\n", "a\nb"),
        ("a\nb\n", "a\r\nb\r\n"),
        ("-0", "0"),
        ("[-0, -0.0]", "[0, 0.0]"),
        ("[-0.  1.]", "[0. 1.]"),
        ("0.3333333333333333", "0.33333333333333337"),
        ("x = 0.3", "x = 0.30000000000000004"),
        ("1.2345678901234e-30", "1.2345678901235e-30"),
        ("[0.1        0.30000000000000004]", "[0.1 0.3]"),
        ("[[ 0.30000000000000004 -1.        ]\n [ 2.                   3.        ]]", "[[ 0.3 -1. ]\n [ 2.   3. ]]"),
    ],
)
def test_agreeing_outputs(expected, printed):
    assert disagreement(expected, printed) is None
    assert disagreement(printed, expected) is None


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", "a"),
        ("a\n\nb", "a\nb"),
        ("\na", "a"),
        ("  a", "a"),
        ("1.23", "1.24"),
        ("1.2", "1.20"),
        ("1", "1.0"),
        ("[1. 2.]", "[1 2]"),
        ("[1, 2]", "[1,  2]"),
        ("[ 1, 2]", "[1, 2]"),
        ("-1", "1"),
        ("+1", "1"),
        ("1e-9", "0"),
        ("-2.7755575615628914e-17", "0.0"),
        ("0.12345678901", "0.12345678902"),
        ("0.333333333333", "0.333333334333"),
        ("123456789012345", "123456789012346"),
        ("float64", "float32"),
        ("0x1f", "0x2f"),
        ("1.2.3", "1.2.4"),
        ("nan", "inf"),
        ("1 2", "1 2 3"),
        ("true", "false"),
        ("0.3333333333333333 a", "0.33333333333333337 b"),
        ("[ 0.3333333333333333,1]", "[0.33333333333333337, 1]"),
    ],
)
def test_differing_outputs(expected, printed):
    assert disagreement(expected, printed) is not None
    assert disagreement(printed, expected) is not None


def test_changing_any_digit_of_a_short_number_is_caught():
    text = "attention output: [2.872, 3.872; 3.25, 4.25; 2.872, 3.872] at 1e-05 of 1234567"
    digits = [index for index, character in enumerate(text) if character.isdigit()]
    assert len(digits) == 32
    for index in digits:
        changed = text[:index] + str((int(text[index]) + 1) % 10) + text[index + 1 :]
        assert disagreement(text, changed) is not None, changed


def test_the_message_is_a_diff_that_says_which_is_which():
    assert disagreement("a\nb\nc\n", "a\nB\nc\n") == (
        "the output differs from what is documented.\n--- documented\n+++ printed\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"
    )
