"""What chapters 7 and 8 train on: first names, and the text of Python's language reference."""

import numpy as np


def first_names() -> list[str]:
    """Read the first names of the US census of 1990, which the package `names` brings along.

    Returns:
        Every name once, in small letters and in order of the alphabet.
    """
    import names

    found = set()
    for key in ("first:female", "first:male"):
        with open(names.FILES[key]) as file:
            found |= {line.split()[0].lower() for line in file}
    return sorted(found)


def rows_of_names(words: list[str]) -> np.ndarray:
    """Make a row of numbers of each name: a is 1, and 0 stands before the first letter and behind the last.

    Args:
        words: The names, in small letters.

    Returns:
        Whole numbers, a row for each name, with -1 where a row has ended.
    """
    rows = np.full((len(words), max(map(len, words)) + 2), -1)
    for row, word in zip(rows, words, strict=True):
        row[: len(word) + 2] = [0, *(ord(letter) - ord("a") + 1 for letter in word), 0]
    return rows


def language_reference() -> str:
    """Read the topics of Python's `help`, which are pages of its language reference.

    They differ a little from one version of Python to the next.

    Returns:
        The topics in order of their names; of their characters only line feeds and printable ASCII.
    """
    from pydoc_data.topics import topics

    text = "\n\n".join(topics[name] for name in sorted(topics))
    return "".join(c for c in text if c == "\n" or " " <= c <= "~")


def ids_of(text: str) -> np.ndarray:
    """Number characters: 0 is a line feed, 1 a space, and so on to 95, which is ~."""
    return np.array([0 if c == "\n" else ord(c) - 31 for c in text])


def text_of(ids: np.ndarray) -> str:
    """Write the characters that `ids_of` numbered."""
    return "".join("\n" if i == 0 else chr(i + 31) for i in ids)
