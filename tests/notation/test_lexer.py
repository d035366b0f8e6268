import keyword

import pytest

from opbook import Array, builtin
from opbook.builtins.builtin import NOTATION_WORDS
from opbook.errors import DeclarationError

pygments = pytest.importorskip("pygments")

from pygments.lexers import get_lexer_by_name  # noqa: E402
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, Text  # noqa: E402

from opbook.notation.lexer import CONSTANTS, KEYWORDS  # noqa: E402


def tokens(code: str) -> list[tuple[object, str]]:
    return [(kind, text) for kind, text in get_lexer_by_name("qu").get_tokens(code) if text.strip()]


def test_the_lexer_is_installed_under_the_name_of_the_fence() -> None:
    assert get_lexer_by_name("qu").name == "qu"


def test_a_program() -> None:
    found = tokens('y = if x.w > 2.*k then f(1e-5) else true  # "no text"\n')
    assert (Name.Function, "f") in found
    assert (Name.Attribute, "w") in found
    assert (Number, "1e-5") in found
    assert (Keyword.Constant, "true") in found
    assert (Comment.Single, '# "no text"') in found
    at = found.index((Number, "2"))
    assert found[at + 1] == (Operator, ".*"), "a number does not take the point of an operator"


def test_text_holds_expressions_that_hold_text_and_records() -> None:
    found = tokens('"a {f("b", {c = 1})} d {{e}}"')
    assert (Name.Function, "f") in found
    assert (String.Double, "b") in found
    assert (Name, "c") in found
    assert [text for kind, text in found if kind is String.Interpol] == ["{", "}"]
    assert (String.Double, "{{") in found
    assert found[-1] == (String.Double, '"')


@pytest.mark.parametrize("code", ['"unclosed\nx = 1\n', "{ ( [\n", "} ) ]\n", "§ ? \\\n"])
def test_nothing_is_lost_and_nothing_is_an_error(code: str) -> None:
    found = list(get_lexer_by_name("qu").get_tokens(code))
    assert "".join(text for _, text in found) == code
    assert Error not in {kind for kind, _ in found}
    assert (Text, "§") in found or "§" not in code


def test_no_builtin_can_be_called_as_a_word_of_the_notation():
    assert {*KEYWORDS, *CONSTANTS} - {*keyword.kwlist} == NOTATION_WORDS
    for word in NOTATION_WORDS:
        source = f'def {word}(x: Array["..."]) -> Array["..."]:\n    """Something."""'
        namespace = {"Array": Array}
        exec(source, namespace)
        with pytest.raises(DeclarationError, match="word of the notation"):
            builtin(category="Test")(namespace[word])
