"""Grammar as data: words and phrases by language, from the TOML files beside this module.

    briefs.toml       how people ask for music and state rules
    negation.toml     words that deny, how far they reach, and those that only seem to deny
    opposites.toml    the opposites of denied feelings
    languages.toml    words and letters by which languages are distinguished

An entry is a list of phrases, or a table of such lists by language, which are read in the order of the file.
Files are read once, when the module that needs them is imported.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from workbench.errors import ResourceMissing


class Grammar:
    """The entries of one file, named by keys joined by dots, as "voice.named".

    All methods raise `ResourceMissing` for an entry that is not there, or holds something else.
    """

    def __init__(self, name: str, tables: Mapping[str, Any]) -> None:
        self._name, self._tables = name, tables

    def entry(self, path: str) -> Any:
        """The value of an entry."""
        found: Any = self._tables
        for part in path.split("."):
            if not isinstance(found, Mapping) or part not in found:
                raise ResourceMissing(f"{self._name}: there is no entry {path}")
            found = found[part]
        return found

    def phrases(self, path: str, *languages: str) -> tuple[str, ...]:
        """The phrases of an entry, in the order of the file: a list, or a table of lists by language.

        Of a table, those of `languages` in their order, as "de"; without any, all of them.
        """
        entry = self.entry(path)
        lists = [entry]
        if isinstance(entry, Mapping):
            lists = [entry[name] for name in languages or entry if name in entry]
        found = [phrase for one in lists if isinstance(one, list) for phrase in one]
        if not found or not all(isinstance(one, list) for one in lists) or not all(isinstance(p, str) for p in found):
            raise ResourceMissing(f"{self._name}: {path} has to hold lists of phrases")
        return tuple(found)

    def words(self, path: str) -> frozenset[str]:
        """The phrases of an entry, of all languages, as a set."""
        return frozenset(self.phrases(path))

    def pairs(self, path: str) -> dict[str, str]:
        """An entry that maps words to words."""
        entry = self.entry(path)
        if not isinstance(entry, Mapping) or not all(isinstance(value, str) for value in entry.values()):
            raise ResourceMissing(f"{self._name}: {path} must map words to words")
        return dict(entry)

    def any_of(self, path: str, *languages: str) -> str:
        """A regular expression that matches any phrase of an entry, the earlier one first; for use in a group."""
        found = self.phrases(path, *languages)
        for phrase in found:
            try:
                re.compile(phrase)
            except re.error as error:
                raise ResourceMissing(f"{self._name}: {path}: {phrase!r} is no regular expression ({error})") from error
        return "|".join(found)


def read_grammar(name: str) -> Grammar:
    """Read one of the files beside this module, as "briefs.toml"; `ResourceMissing` if it is missing, or not TOML."""
    try:
        text = resources.files("workbench.matching.language").joinpath(name).read_text(encoding="utf-8")
        return Grammar(name, tomllib.loads(text))
    except FileNotFoundError as error:
        raise ResourceMissing(f"{name} is not shipped with this installation; install it again") from error
    except tomllib.TOMLDecodeError as error:
        raise ResourceMissing(f"{name}: not TOML ({error})") from error
