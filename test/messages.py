"""Look for what a message names, not for its sentence: the thing, its value, what is allowed.

A message may be said better at any time, so words of grammar are refused here.
"""

import re
from collections import Counter

from tools.language import GRAMMAR


def naming(words: str) -> re.Pattern[str]:
    """Return the pattern of a text with a line that has all of these words, in any order.

    White space is between words; one that is given twice is there twice. Words begin and end where
    names and numbers do, so 1 is not in 0.1 or 10; ``*`` stands for any characters of a word.
    """
    parts = words.split()
    grammar = GRAMMAR.intersection(parts)
    assert parts and not grammar, f"{words!r}: {sorted(grammar)} name nothing"
    looks = (".*".join(["", *[_whole(part)] * n]) for part, n in Counter(parts).items())
    return re.compile("(?m)^" + "".join(f"(?={look})" for look in looks))


def _whole(part: str) -> str:
    """Return the pattern of one word."""
    before = r"(?<![\w.])" if part[0].isdigit() else r"(?<!\w)" if part[0].isalnum() else ""
    after = r"(?!\w|\.\d)" if part[-1].isdigit() else r"(?!\w)" if part[-1].isalnum() else ""
    return before + re.escape(part).replace(r"\*", r"\S*") + after
