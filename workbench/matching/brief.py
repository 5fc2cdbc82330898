"""Briefs: requests for music in plain words, read as constraints that can be checked and preferences that steer.

"No vocals", "under 100 bpm", "at least 2 minutes", "nothing explicit", "without guitar", "not sad", "like a lullaby"
are constraints: each is a rule on the facts of a track, which the track satisfies or breaks, or which is unknown. All
else that is named ("warm", "piano", "indie folk") is a preference. `workbench.matching.language.negation` finds the
scope of a negation; in "no drums, vocals or bass" it is the list. "Not under 100" is "at least 100". A tolerated
quality ("vocals are fine") is neither.

Rules that no track can satisfy together ("under 90 bpm, over 120 bpm") contradict each other, as do a preference and
the rule that bars it ("drums, no drums") and two paces ("fast, slow"); none of them is applied, and the brief lists
them. It also lists the phrases that were not understood.

The vocabulary, in English and in part in other languages, is `briefs.toml` of `workbench.matching.language`.

A script is text to be underscored, and its sentences are no request. Only its production notes are: text in brackets
that speaks of music ("[soft piano music, no drums]"), and lines that begin "Music:" or the like. They are read as part
of the brief and not of the script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.catalog.certainty import possible_tempi, tempo_words, voice_words
from workbench.errors import ParameterError
from workbench.matching.columns import UNKNOWN, Columns
from workbench.matching.language.grammar import read_grammar
from workbench.matching.language.lexicon import (
    FEELINGS,
    ExpectedSound,
    Kind,
    lexicon,
    read_lexicon,
    strongest_facets,
    terms_in,
)
from workbench.matching.language.negation import Span, scopes
from workbench.matching.language.negation import clauses as clauses_of
from workbench.recording import FloatArray

SATISFIED, NOT_KNOWN, BROKEN = 1, 0, -1
"""judgements of a rule on a track"""

_GRAMMAR = read_grammar("briefs.toml")
_any_of = _GRAMMAR.any_of

Fact: TypeAlias = Literal[
    "vocals", "drums", "bpm", "duration", "energy", "mode", "explicit", "licence", "beats_per_bar"
]

_NOT_KNOWN_WORDS: Mapping[Fact, str] = {
    "explicit": "not marked as explicit or clean", "licence": "not known whether its licence allows it",
    "beats_per_bar": "metre not known",
}  # fmt: skip
"""words for a fact that is UNKNOWN, not NaN"""
USES = {"commercial": "licensed for commercial use", "broadcast": "licensed for broadcast"}
"""rules on the licence, by what the music is for"""
_SOUNDS_THERE = 0.4
"""probability from where on a voice or drums are taken to be there"""
_SURELY_STRUCK = 0.8
"""probability of drums that no piano or guitar alone reaches: of the bundled pieces a piano alone has 0.75, and those
with a drum kit have 0.83 and more"""
_SURELY_SILENT = 0.1
"""probability of a voice below which a text that names one is not believed"""
_NAMED = 0.2
"""weight of a facet from which on a track's text counts as naming it: less than a word of two meanings in a title"""
_ABOUT, _EXACTLY = 0.08, 0.04
"""share of a tempo that "about" and a bare number allow to both sides"""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One rule that the facts of a track satisfy or break."""

    text: str
    """the rule in words, as "under 100 bpm" """
    fact: Fact | None = None
    """the number it is about; None: a rule about facets"""
    low: float = -np.inf
    """least value that is allowed"""
    high: float = np.inf
    """largest value that is allowed"""
    barred: tuple[int, ...] = ()
    """facets that must not be named"""
    required: tuple[int, ...] = ()
    """facets, one of which must be named"""
    kind: Kind | None = None
    """of the facets: a text that names none of that kind leaves it open"""

    def judge(self, columns: Columns, facets: FloatArray) -> NDArray[np.int8]:
        """Judge tracks by the rule, shape (n,): SATISFIED, BROKEN or NOT_KNOWN.

        `facets`, shape (n, n_facets), is what their texts name, 0 to 1.
        """
        if self.fact is None:
            return self._judge_facets(facets)
        judged = self.judge_numbers(columns)
        if self.fact == "drums" and self.barred:
            # A piano is struck too: if a text names instruments but no drums, only clear drums break the rule.
            names_any = facets[:, lexicon().of("instruments")].max(axis=1) >= _NAMED
            judged = np.where(names_any & (columns.drums < _SURELY_STRUCK), SATISFIED, judged)
        if self.fact == "vocals" and self.required:
            # Without a sure detection the text counts; a track that is surely instrumental stays so.
            judged = np.where(_names(facets, self.required) & ~(columns.vocals < _SURELY_SILENT), SATISFIED, judged)
        if self.barred:
            judged = np.where(_names(facets, self.barred), BROKEN, judged)
        return np.asarray(judged, dtype=np.int8)

    def judge_numbers(self, columns: Columns) -> NDArray[np.int8]:
        """Judge tracks as `judge` does, by their numbers alone; all are NOT_KNOWN for a rule about facets.

        A tempo that may be half or double satisfies a rule under either; without a sure beat it is not known.
        """
        if self.fact is None:
            return np.full(len(columns), NOT_KNOWN, dtype=np.int8)
        if self.fact == "bpm":
            values = possible_tempi(columns.bpm, columns.tempo_certainty)
        else:
            values = np.asarray(getattr(columns, self.fact), dtype=np.float64)[None]
        known = values[0] != UNKNOWN if self.fact in _NOT_KNOWN_WORDS else np.isfinite(values[0])
        if self.fact == "explicit":
            # Music without singing is not explicit.
            silent = np.nan_to_num(np.asarray(columns.vocals, dtype=np.float64), nan=1.0) < _SOUNDS_THERE
            values, known = np.where(silent, 0.0, values), known | silent
        inside = ((values >= self.low) & (values <= self.high)).any(axis=0)
        return np.where(known, np.where(inside, SATISFIED, BROKEN), NOT_KNOWN).astype(np.int8)

    def _judge_facets(self, facets: FloatArray) -> NDArray[np.int8]:
        assert self.kind is not None
        names_any = facets[:, lexicon().of(self.kind)].max(axis=1) >= _NAMED
        judged = np.where(names_any, BROKEN if self.required else SATISFIED, NOT_KNOWN)
        if self.required:
            judged = np.where(_names(facets, self.required), SATISFIED, judged)
        if self.barred:
            judged = np.where(_names(facets, self.barred), BROKEN, judged)
        return np.asarray(judged, dtype=np.int8)

    def describe(self, columns: Columns, row: int, facets: FloatArray) -> str:
        """The fact of one track that the rule is about, with number and unit."""
        words = self.barred if self.fact is not None else (*self.barred, *self.required)
        named = [lexicon().names[index].replace("_", " ") for index in words if facets[row, index] >= _NAMED]
        about = f"its text names {', '.join(named) or 'none of it'}"
        if self.fact is None:
            return about
        value = float(getattr(columns, self.fact)[row])
        if named and not value > self.high:
            return about
        if (
            self.fact == "vocals"
            and not value >= self.low
            and self.required
            and _names(facets[row : row + 1], self.required)[0]
        ):
            return "its text names a voice"
        if self.fact in _NOT_KNOWN_WORDS and value == UNKNOWN:
            return _NOT_KNOWN_WORDS[self.fact]
        if not np.isfinite(value):
            return f"{self.fact} not measured"
        return {
            "vocals": voice_words(value),
            "drums": f"drums with a probability of {100 * value:.0f} %",
            "bpm": tempo_words(value, int(columns.tempo_certainty[row]), ".4g"),
            "duration": f"{value:.0f} s long",
            "energy": f"energy {value:.2f} of 1",
            "mode": f"{'major' if value > 0 else 'minor'} key ({value:+.2f} from -1 to +1)",
            "explicit": "marked as explicit" if value else "not explicit",
            "licence": "a licence that allows it" if value else "a licence that forbids it, as NC and ND do",
            "beats_per_bar": f"{value:.0f} beats in the bar",
        }[self.fact]


@dataclass(frozen=True, slots=True, eq=False)
class Brief:
    """A brief, read."""

    text: str
    constraints: tuple[Constraint, ...]
    requested: FloatArray
    """shape (n_facets,), 0 to 1, facets that are wanted"""
    energy: float | None = None
    """0 to 1; None where the brief does not name it"""
    bpm: float | None = None
    """the tempo that constraints or words ask for; None where neither does"""
    contradictions: tuple[tuple[str, str], ...] = ()
    """pairs of requests that exclude each other; neither is among the constraints or preferences"""
    unread: tuple[str, ...] = ()
    """phrases that were not understood"""

    @property
    def wants_voice(self) -> bool:
        """Whether a voice is asked for."""
        return any(rule.fact == "vocals" and rule.low > 0 for rule in self.constraints)

    @property
    def names_moods(self) -> bool:
        """Whether the brief asks for moods."""
        return bool(self.requested[lexicon().of("moods")].any())

    @property
    def sound(self) -> ExpectedSound | None:
        """How music sounds of the moods that are wanted, or else of the genres and instruments; None without any."""
        wanted = self.requested.copy()
        if self.names_moods:
            wanted[lexicon().of("moods").stop :] = 0.0
        return ExpectedSound(*(wanted @ lexicon().sounds / wanted.sum())) if wanted.any() else None

    @property
    def understood(self) -> tuple[str, ...]:
        """All that was understood, a few words each: what is wanted, then the rules."""
        wanted = strongest_facets(self.requested, most=len(self.requested))
        if self.energy is not None:
            wanted.append(f"energy {self.energy:.2f} of 1")
        ruled = any(rule.fact == "bpm" and rule.low > 0 and np.isfinite(rule.high) for rule in self.constraints)
        if self.bpm is not None and not ruled:
            wanted.append(f"about {self.bpm:.0f} bpm")
        return tuple(dict.fromkeys((*wanted, *(rule.text for rule in self.constraints))))


def read_brief(text: str, use: str | None = None) -> Brief:
    """Read the constraints and preferences of a brief in plain words. The text is data, never an instruction.

    `use`, one of `USES`, adds the rule that the licence allows it; raises `ParameterError` for another.
    """
    if use is not None and use not in USES:
        raise ParameterError(f"music is for {' or '.join(USES)}, not {use}")
    plain = _plain(text)
    runs = list(_runs(plain))
    clauses = [clause for run in runs for clause in _clauses(run)]
    asserted = [run.text for run in runs if not run.negation]
    likes = list(dict.fromkeys(like for text in asserted for like in _likes(text)))
    found: list[Constraint] = []
    requested = np.zeros(len(lexicon().names))
    for clause in clauses:
        rules, wanted = _read(clause)
        found += rules
        requested = np.maximum(requested, wanted)
    found += [rule for text in asserted for rule in _only(text)]
    for like in likes:
        bounds, named = _LIKENESSES[like]
        found += [
            Constraint(f"like a {like}: {words}", fact, low, high, barred=_drums() if fact == "drums" else ())
            for fact, low, high, words in bounds
        ]
        for name in named:
            requested[_place(name)] = 1.0
    requested[[_place("instruments.vocals")]] = 0.0  # a voice is a matter of the constraint
    distinct = tuple({constraint.text: constraint for constraint in found}.values())
    apart = tuple(_contradictions(distinct))
    compatible = [rule for rule in distinct if not any(rule.text in pair for pair in apart)]
    against = [(term, rule) for rule in compatible for term in _barred_requests(clauses, rule)]
    for _, rule in against:
        requested[list(rule.barred)] = 0.0
    constraints = tuple(rule for rule in compatible if not any(rule is barring for _, barring in against))
    if use is not None:
        constraints += (Constraint(USES[use], "licence", low=1.0),)
    paces = _pace(clauses)
    for word in (word for pair in paces.contradictions for word in pair):
        requested[list(lexicon().terms.get(word, ()))] = 0.0
    return Brief(
        text=text,
        constraints=constraints,
        requested=requested,
        energy=_energy(clauses),
        bpm=_aimed_bpm(paces.bpm, constraints),
        contradictions=tuple(
            dict.fromkeys((*apart, *((term, rule.text) for term, rule in against), *paces.contradictions))
        ),
        unread=tuple(dict.fromkeys(phrase for clause in clauses for phrase in _not_understood(clause))),
    )


def production_notes(script: str) -> tuple[str, str]:
    """A script without its production notes on music, and these notes as the text of a brief."""
    notes: list[str] = []

    def bracket(match: re.Match[str]) -> str:
        if not _OF_MUSIC.search(match[1]):
            return match[0]
        notes.append(re.sub(r"^\s*\w+\s*:\s*", "", match[1]))
        return " "

    def line(match: re.Match[str]) -> str:
        notes.append(match[1])
        return "\n"

    spoken = re.sub(r"[\[(]([^\[\]()\n]{3,200})[\])]", bracket, script)
    spoken = _NOTES.sub(line, spoken)
    return spoken, ". ".join(note.strip() for note in notes)


_OF_MUSIC = re.compile(rf"\b(?:{_any_of('notes.subjects')})\b", re.IGNORECASE)
_NOTES = re.compile(
    rf"(?im)^[ \t]*(?:{_any_of('notes.before_headings')})?(?:{_any_of('notes.headings')})"
    rf"(?:{_any_of('notes.after_headings')})?[ \t]*:[ \t]*(.{{3,300}})$"
)
_TURN = re.compile(rf"\b(?:{_any_of('turn')})\b")
_ARTICLES = _any_of("like.articles")
_OR = re.compile(rf"\b(?:{_any_of('or')})\b")
_JOINED = re.compile(rf"\b(?:{_any_of('joined')})\b")
_BETWEEN_PARTS = re.compile(r"[,()\[\]|•]|(?<!\d)\s-\s(?!\d)")
_SLASH = re.compile(r"(?<=[^\W\d_])\s*/\s*(?=[^\W\d_]{2})")
"""as in "no vocals/lyrics" """
_WITHOUT = re.compile(rf"\b(?:{_any_of('without')})\b")
_HARMLESS = re.compile(rf"\b(?:{_any_of('harmless')})\b")
_HUNDRED = re.compile(rf"\b(?:{_any_of('hundred')})\b")
_NUMBERS = _GRAMMAR.pairs("numbers.en")
_NUMBER = re.compile(r"\b(" + "|".join(_NUMBERS) + r")\b")


def _plain(text: str) -> str:
    """Lower case, plain quotes and dashes, numbers as digits."""
    text = text.lower().replace("’", "'").replace("–", "-").replace("—", ", ")
    text = _WITHOUT.sub("without", _HUNDRED.sub("100", text))
    text = _SLASH.sub(" or ", re.sub(r"\bw/\s*", "with ", re.sub('["“”]', " ", text)))
    return _NUMBER.sub(lambda match: _NUMBERS[match[1]], text)


class _Clause(NamedTuple):
    """A piece of a brief."""

    text: str
    """without its negation"""
    negated: bool
    whole: str
    """with it"""


class _Run(NamedTuple):
    """Consecutive words under the same negation, or under none."""

    text: str
    """without the negation"""
    negation: tuple[str, ...]
    """its words; empty where there is none"""


class _Piece(NamedTuple):
    """A word of a brief, or of a negation."""

    place: Span
    """characters"""
    negation: tuple[str, ...]
    """that covers it"""
    denies: bool
    """whether it is of a negation that covers something"""


def _runs(text: str) -> Iterator[_Run]:
    """The stretches of a brief that ask for something, or for its absence."""
    for sentence in re.split(r"[.;!?\n]+(?!\d)", text):
        parts = _BETWEEN_PARTS.split(sentence)
        last_or = max((at for at, part in enumerate(parts) if _OR.search(part)), default=-1)
        carried: tuple[str, ...] = ()
        for at, part in enumerate(parts):
            if _HARMLESS.search(part):
                carried = ()
                continue
            listed = at <= last_or and not re.search(r"\d", part)
            pieces = _pieces(part, carried if listed else ())
            yield from _cut(part, pieces)
            carried = pieces[-1].negation if pieces else ()


def _pieces(part: str, carried: tuple[str, ...]) -> list[_Piece]:
    """The words of a part of a list, each with the negation that covers it; one may be carried over from before."""
    found: list[_Piece] = []
    for clause in clauses_of(part):
        words = (*carried, *clause.words)
        covered = scopes(words)
        denying = {at for scope in covered if scope is not None for at in range(*scope)}
        for at, place in enumerate(clause.places, start=len(carried)):
            scope = covered[at]
            found.append(_Piece(place, () if scope is None else tuple(words[slice(*scope)]), at in denying))
        carried = ()
    return found


def _cut(part: str, pieces: Sequence[_Piece]) -> Iterator[_Run]:
    """Runs of words under the same negation, with the signs around them."""
    if not pieces:
        return
    groups = [list(alike) for _, alike in groupby(pieces, key=lambda piece: (piece.negation, piece.denies))]
    starts = [group[0].place[0] for group in groups]
    end = 0
    for group, following in zip(groups, (*starts[1:], len(part)), strict=True):
        if not group[0].denies:
            yield _Run(part[end:following].strip(" -:"), group[0].negation)
        end = group[-1].place[1]


def _clauses(run: _Run) -> Iterator[_Clause]:
    """The pieces of a run, one request each."""
    if run.negation:
        yield _Clause(run.text, True, f"{' '.join(run.negation)} {run.text}")
        return
    for text in _TURN.split(run.text):
        if text.strip():
            yield _Clause(text.strip(), False, text.strip())


def _barred_requests(clauses: Sequence[_Clause], rule: Constraint) -> list[str]:
    """Terms that name nothing but what a rule bars."""
    if rule.required or rule.fact == "vocals":
        return []
    terms = lexicon().terms
    named = (
        term
        for clause in clauses
        if not clause.negated
        for term, denied in terms_in(_MODE.sub(" ", _ENERGY.sub(" ", clause.text)), terms)
        if not denied and set(terms[term]) <= set(rule.barred)
    )
    return list(dict.fromkeys(named))


def _read(clause: _Clause) -> tuple[list[Constraint], FloatArray]:
    """The rules of a clause, and the facets that it asks for, shape (n_facets,)."""
    text, negated = clause.text, clause.negated
    plain = _ENERGY.sub(" ", text)
    rules = [*_measures(text, negated), *_presence(text, negated)]
    if not negated:
        return rules, read_lexicon(_MODE.sub(" ", plain)).facets
    rules += _barred_facets(plain)
    opposite = " ".join(FEELINGS[word] for word in re.findall(r"\w+", text) if word in FEELINGS)
    return rules, read_lexicon(opposite).facets


def _likes(text: str) -> list[str]:
    singular = text.replace("lullabies", "lullaby")
    return [like for like in _LIKENESSES if re.search(rf"\blike (?:{_ARTICLES})?(?:\w+ )?{like}s?\b", singular)]


def _contradictions(rules: Sequence[Constraint]) -> Iterator[tuple[str, str]]:
    """Pairs of rules that no track can satisfy together, in words."""
    for one, other in combinations(rules, 2):
        low, high = max(one.low, other.low), min(one.high, other.high)
        apart = (
            one.fact is not None
            and one.fact == other.fact
            and (low > high or (low == high and one.fact in ("vocals", "drums")))
        )
        needs = [set(first.required) <= set(second.barred) for first, second in ((one, other), (other, one))
                 if first.required]  # fmt: skip
        if apart or any(needs):
            yield one.text, other.text


def _not_understood(clause: _Clause) -> list[str]:
    """The phrases of a clause that were not understood: all of it, or some of what "and" joins."""
    if not _understood(clause):
        return [clause.whole]
    parts = [part.strip() for part in _JOINED.split(clause.text)]
    if len(parts) < 2 or re.search(r"\d", clause.text):
        return []
    return [part for part in parts if not _understood(_Clause(part, clause.negated, part))]


def _understood(clause: _Clause) -> bool:
    """Whether a clause was understood, or holds no request."""
    rules, wanted = _read(clause)
    if rules or wanted.any() or list(_only(clause.text)) or (_likes(clause.text) and not clause.negated):
        return True
    if _energy([clause]) is not None or any(_paces_in(clause.text)):
        return True
    return not set(re.findall(r"[^\W\d_]+", clause.text)) - _EMPTY


_EMPTY = _GRAMMAR.words("empty")
"""words that are no request by themselves"""


_LESS, _MORE, _NEAR = _any_of("less"), _any_of("more"), _any_of("near")
_STRICTLY_LESS = _any_of("strictly_less")
_OR_LESS, _OR_MORE = _any_of("or_less"), _any_of("or_more")
_TO = rf"(?:{_any_of('to')})"
_VALUE = rf"(?P<low>\d{{2,3}}(?:\.\d+)?)\s*(?:{_TO}\s*(?P<high>\d{{2,3}}(?:\.\d+)?))?\s*(?P<plus>\+)?"
_TEMPO = re.compile(
    rf"(?:(?P<way>{_LESS}|{_MORE}|{_NEAR})\s*)?{_VALUE}\s*(?:{_any_of('tempo.units')})\s*"
    rf"(?P<after>{_OR_LESS}|{_OR_MORE})?"
)
_TEMPO_AFTER = re.compile(
    rf"(?:{_any_of('tempo.names')})\s*(?:{_any_of('tempo.links')})*\s*"
    rf"(?:(?P<way>{_LESS}|{_MORE}|{_NEAR})\s*)?{_VALUE}(?P<after>)(?!\d|\s*bpm)"
)
_LENGTH = re.compile(
    rf"(?:(?P<way>{_LESS}|{_MORE})\s*)?(?P<low>\d+(?:\.\d+)?)\s*(?:{_TO}\s*(?P<high>\d+(?:\.\d+)?))?\s*"
    rf"(?P<plus>\+)?\s*-?(?:(?P<minutes>{_any_of('length.minutes')})|{_any_of('length.seconds')})\b\s*"
    rf"(?P<after>{_OR_LESS}|{_OR_MORE})?(?!\s*(?:{_any_of('length.of_videos')}))"
)
_MODES = rf"{_any_of('mode.minor', 'en')}|{_any_of('mode.major', 'en')}"
_GERMAN_MODES = rf"{_any_of('mode.minor', 'de')}|{_any_of('mode.major', 'de')}"
_ROMANCE_MODES = rf"{_any_of('mode.minor', 'fr', 'es')}|{_any_of('mode.major', 'fr', 'es')}"
_MODE = re.compile(
    rf"\b(?P<named>{_MODES})\b[- ](?:{_any_of('mode.nouns')})|"
    rf"\bin (?:an? )?(?P<of>{_MODES}|{_GERMAN_MODES})\b|"
    rf"\b[a-g](?:#|b|is|es|-flat|-sharp)?[ -](?P<key>{_MODES}|{_GERMAN_MODES})\b|"
    rf"\b(?:{_any_of('mode.before')}) (?P<romance>{_ROMANCE_MODES})\b"
)
_MAJOR = _GRAMMAR.words("mode.major")
_METRE = re.compile(rf"\b([2-7])/([48])\b|\b(?:{_any_of('waltz')})\b")


def _measures(clause: str, negated: bool) -> Iterator[Constraint]:
    """Bounds on tempo and length, metre and mode."""
    for tempo in list(_TEMPO.finditer(clause)) or list(_TEMPO_AFTER.finditer(clause)):
        low, high = _bounds(tempo, negated)
        if np.isfinite(low) or np.isfinite(high):
            yield Constraint(f"{_range(low, high)} bpm", "bpm", low, high)
        else:
            value = float(tempo["low"])
            share = _ABOUT if re.fullmatch(_NEAR, tempo["way"] or "") else _EXACTLY
            yield Constraint(f"about {value:g} bpm", "bpm", value * (1 - share), value * (1 + share))
    for length in _LENGTH.finditer(_TEMPO.sub(" ", clause)):
        scale = 60.0 if length["minutes"] else 1.0
        low, high = (bound * scale for bound in _bounds(length, negated))
        if np.isfinite(low) or np.isfinite(high):
            yield Constraint(f"{_range(low, high)} s long", "duration", low, high)
    metre = _METRE.search(clause)
    if metre is not None and not negated:
        beats = float(metre[1] or 3)
        yield Constraint(f"{beats:.0f} beats in the bar", "beats_per_bar", beats, beats)
    for mode in _MODE.finditer(clause):
        named = next(name for name in mode.groups() if name is not None)
        major = (named in _MAJOR) != negated
        yield Constraint(
            f"{'major' if major else 'minor'} key", "mode", 1e-3 if major else -1.0, 1.0 if major else -1e-3
        )


def _bounds(match: re.Match[str], negated: bool) -> tuple[float, float]:
    """Least and largest value that a match allows; both infinite where it states neither."""
    value, other = float(match["low"]), match["high"]
    if other is not None:
        return (min(value, float(other)), max(value, float(other))) if not negated else (-np.inf, np.inf)
    way, after = match["way"] or "", match["after"] or ""
    less = bool(re.fullmatch(_LESS, way)) or bool(re.fullmatch(_OR_LESS, after))
    more = bool(re.fullmatch(_MORE, way)) or bool(match["plus"]) or bool(re.fullmatch(_OR_MORE, after))
    if negated:
        less, more = more, less
    # "Under 100" leaves out 100, "at most 100" does not.
    strict = re.fullmatch(_STRICTLY_LESS, way) and not negated
    if less:
        return -np.inf, float(np.nextafter(value, 0.0)) if strict else value
    return (value, np.inf) if more else (-np.inf, np.inf)


def _range(low: float, high: float) -> str:
    if np.isfinite(low) and np.isfinite(high):
        return f"between {low:.4g} and {high:.4g}"
    if np.isfinite(low):
        return f"at least {low:.4g}"
    return f"{'at most' if high == round(high) else 'under'} {high:.4g}"


_VOICE = (
    "".join(f"(?<!{before})" for before in _GRAMMAR.phrases("voice.of_others"))
    + rf"\b(?:{_any_of('voice.named')})\b(?!{_any_of('voice.spoken')})"
)
_WORDLESS = re.compile(rf"\b(?:{_any_of('voice.wordless')})\b")
_VOICE_TOO = re.compile(rf"\b(?:{_any_of('voice.added')})\b[^,]*{_VOICE}")
_STRUCK = rf"\b(?:{_any_of('drums.named')})\b"
_UNSTRUCK = rf"\b(?:{_any_of('drums.without')})\b"
_EXPLICIT = rf"\b(?:{_any_of('explicit')})\b"
_CLEAN = rf"\b(?:{_any_of('clean')})\b"
_NONE_OF = (
    rf"(?:{_any_of('none.listed')})\s*[:=]\s*(?:{_any_of('none.answers')})\b|"
    rf"\b(?:{_any_of('none.free')})[- ]free\b"
)
_MUST = rf"\b(?:{_any_of('must')})\b"


def _presence(clause: str, negated: bool) -> Iterator[Constraint]:
    """Rules on required or forbidden features: a voice, drums, bad language."""
    none_of = re.search(_NONE_OF, clause) is not None
    clean = re.search(_CLEAN, clause) is not None
    wordless = _WORDLESS.search(clause)
    if wordless:
        yield _voice(wanted=negated)
        if _VOICE_TOO.search(clause[wordless.end() :]):
            yield _voice(wanted=not negated)
    elif re.search(_VOICE, clause) and not clean:
        yield _voice(wanted=not negated and not none_of)
    struck = re.search(_STRUCK, clause) is not None
    if re.search(_UNSTRUCK, clause):
        if not negated:
            yield _without_drums()
    elif struck and (negated or none_of):
        yield _without_drums()
    elif struck and re.search(_MUST, clause):
        yield Constraint("with drums", "drums", low=_SOUNDS_THERE)
    if clean or (negated and re.search(_EXPLICIT, clause)):
        yield Constraint("nothing explicit", "explicit", high=0.0)


def _without_drums() -> Constraint:
    return Constraint("no drums", "drums", high=_SOUNDS_THERE, barred=_drums())


def _voice(wanted: bool) -> Constraint:
    if wanted:
        return Constraint("with vocals", "vocals", low=_SOUNDS_THERE, required=(_place("instruments.vocals"),))
    return Constraint(
        "no vocals", "vocals", high=_SOUNDS_THERE, barred=(_place("instruments.vocals"), _place("instruments.choir"))
    )


_KIN = {
    "genres.electronic": ("genres.synthwave", "genres.breakbeat", "instruments.synth"),
    "genres.rock": ("genres.metal",),
    "instruments.guitar": ("instruments.electric_guitar",),
}
"""facets that a name means too"""


def _barred_facets(clause: str) -> Iterator[Constraint]:
    """Moods, genres and instruments that a negated clause names: they must not be named."""
    book = lexicon()
    handled = {_place("instruments.vocals"), *_drums()}
    for term, _ in terms_in(_MODE.sub(" ", clause), book.terms):
        indices = book.terms[term]
        if handled & set(indices):
            continue
        kinds = [book.kinds[index] for index in indices]
        meant = [f"{kind}.{book.names[index]}" for kind, index in zip(kinds, indices, strict=True)]
        kin = [_place(other) for name in meant for other in _KIN.get(name, ())]
        barred = tuple(dict.fromkeys([*indices, *kin]))
        yield Constraint(f"{'not' if kinds[0] == 'moods' else 'no'} {term}", barred=barred, kind=kinds[0])


_ONLY = (
    re.compile(rf"(?<!not )\b(?:{_any_of('only.before')}) (?:an? )?(\w+)"),
    *(re.compile(rf"\b(\w+) (?:{after})\b") for after in _GRAMMAR.phrases("only.after")),
)
_NO_INSTRUMENTS = _GRAMMAR.words("only.no_instruments")


def _only(plain: str) -> Iterator[Constraint]:
    """ "Solo piano", "piano only", "only strings": that instrument and no other."""
    book = lexicon()
    where = book.of("instruments")
    for pattern in _ONLY:
        for match in pattern.finditer(plain):
            meaning = read_lexicon(match[1]).facets[where]
            named = tuple(int(index) + where.start for index in np.flatnonzero(meaning))
            if named and match[1] not in _NO_INSTRUMENTS:
                others = tuple(index for index in range(where.start, where.stop) if index not in named)
                yield Constraint(f"only {match[1]}", barred=others, required=named, kind="instruments")


def _energy(clauses: Sequence[_Clause]) -> float | None:
    """The energy that is asked for; "not low" and "not high" mean one on the other side of the middle."""
    for clause in clauses:
        for pattern, energy, otherwise in _ENERGIES:
            if re.search(pattern, clause.text):
                return otherwise if clause.negated else energy
    return None


_ENERGIES = (
    (rf"\b(?:{_any_of('energy.low')})[- ]energy\b", 0.2, 0.6),
    (rf"\b(?:{_any_of('energy.middling')})[- ]energy\b", 0.5, None),
    (rf"\b(?:{_any_of('energy.high')})[- ]energy\b", 0.85, 0.4),
)
_ENERGY = re.compile("|".join(pattern for pattern, *_ in _ENERGIES))
_MIDDLE_BPM = 104.0
"""a middling tempo, about the geometric mean of 60 and 180"""
_PACES = (
    (rf"\b(?:{_any_of('pace.slow')})\b", 70.0),
    (rf"\b(?:{_any_of('pace.middling')})\b", _MIDDLE_BPM),
    (rf"\b(?:{_any_of('pace.fast')})\b", 142.0),
)


class _Pace(NamedTuple):
    """The tempo that is asked for in words."""

    bpm: float | None
    contradictions: tuple[tuple[str, str], ...]


def _pace(clauses: Sequence[_Clause]) -> _Pace:
    """The tempo that "slow" or "fast" means, a middling one where they are only denied; None with both."""
    asked, denied = (
        {bpm: word for clause in clauses if clause.negated is negated for bpm, word in _paces_in(clause.text)}
        for negated in (False, True)
    )
    pairs = (
        *combinations(asked.values(), 2),
        *((asked[bpm], f"not {word}") for bpm, word in denied.items() if bpm in asked),
    )
    if pairs:
        return _Pace(None, pairs)
    return _Pace(next(iter(asked), _MIDDLE_BPM if denied else None), ())


def _paces_in(text: str) -> Iterator[tuple[float, str]]:
    for pattern, bpm in _PACES:
        found = re.search(pattern, text)
        if found is not None:
            yield bpm, found[0]


def _aimed_bpm(pace_bpm: float | None, constraints: tuple[Constraint, ...]) -> float | None:
    """The middle of the requested range, or else the tempo that "slow" or "fast" means."""
    for constraint in constraints:
        if constraint.fact == "bpm" and constraint.low > 0 and np.isfinite(constraint.high):
            return (constraint.low + constraint.high) / 2
    return pace_bpm


_Rules: TypeAlias = tuple[tuple[tuple[Fact, float, float, str], ...], tuple[str, ...]]
_LIKENESSES: dict[str, _Rules] = {
    "lullaby": (
        (
            ("energy", 0.0, 0.45, "energy up to 0.45"),
            ("bpm", 0.0, 100.0, "up to 100 bpm"),
            ("drums", 0.0, _SOUNDS_THERE, "no drums"),
        ),
        ("moods.tender", "moods.calm", "instruments.bells", "instruments.piano"),
    ),
    "march": ((("bpm", 80.0, 140.0, "80 to 140 bpm"),), ("genres.march", "instruments.brass")),
    "waltz": ((("beats_per_bar", 3.0, 3.0, "3 beats in the bar"),), ("moods.elegant", "genres.classical")),
    "heartbeat": ((("bpm", 45.0, 100.0, "45 to 100 bpm"),), ("moods.tense", "instruments.percussion")),
    "anthem": ((("energy", 0.45, 1.0, "energy from 0.45"),), ("moods.heroic", "moods.uplifting")),
    "campfire": ((("energy", 0.0, 0.55, "energy up to 0.55"),), ("moods.warm", "genres.folk", "instruments.guitar")),
    "hymn": ((("energy", 0.0, 0.6, "energy up to 0.6"),), ("genres.sacred", "instruments.choir", "instruments.organ")),
    "rave": (
        (("energy", 0.65, 1.0, "energy from 0.65"), ("bpm", 115.0, 300.0, "from 115 bpm")),
        ("moods.energetic", "genres.electronic"),
    ),
    "trailer": ((("energy", 0.5, 1.0, "energy from 0.5"),), ("moods.heroic", "genres.cinematic")),
    "spa": ((("energy", 0.0, 0.35, "energy up to 0.35"),), ("moods.calm", "genres.ambient")),
    "music box": ((("energy", 0.0, 0.55, "energy up to 0.55"),), ("moods.tender", "instruments.bells")),
    "circus": ((), ("moods.playful", "genres.comedy", "instruments.brass")),
    "western": ((), ("genres.country", "instruments.banjo", "instruments.electric_guitar")),
    "horror film": ((), ("moods.scary", "moods.dark")),
    "spy film": ((), ("moods.cool", "moods.mysterious", "genres.jazz")),
}  # fmt: skip
"""bounds on facts and wanted facets, by the noun in "like a …" """


def _names(facets: FloatArray, which: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.asarray(facets[:, list(which)].max(axis=1) >= _NAMED)


def _place(name: str) -> int:
    """Where the facet "kind.name" is."""
    kind, _, plain = name.partition(".")
    book = lexicon()
    return next(i for i, found in enumerate(book.names) if found == plain and book.kinds[i] == kind)


def _drums() -> tuple[int, ...]:
    return _place("instruments.drums"), _place("instruments.percussion")
