"""One line of the doctor: a mark and a sentence, in Thai or English."""

from __future__ import annotations

from dataclasses import dataclass

from onprem.doctor.words import WORDS

GOOD, BAD, ODD = "✓", "✗", "!"
LANGUAGES = ("th", "en")


@dataclass(frozen=True)
class Finding:
    """``word`` names the sentence, ``values`` fill it. Only BAD ends the doctor with an error."""

    mark: str
    word: str
    values: dict[str, object]

    def text(self, language: str) -> str:
        sentence = WORDS[self.word][LANGUAGES.index(language)]
        return f"{self.mark} {sentence.format(**self.values)}"


def good(word: str, **values: object) -> Finding:
    return Finding(GOOD, word, values)


def bad(word: str, **values: object) -> Finding:
    return Finding(BAD, word, values)


def odd(word: str, **values: object) -> Finding:
    return Finding(ODD, word, values)


def some(items: list[str], *, most: int = 5) -> str:
    """A few of many, with how many there are beyond."""
    more = f" … (+{len(items) - most})" if len(items) > most else ""
    return ", ".join(items[:most]) + more
