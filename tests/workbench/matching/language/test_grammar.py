"""Scripts and briefs as words: grammar, negation, opposites and the lexicon."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.errors import ResourceMissing
from workbench.matching.language.grammar import Grammar, read_grammar
from workbench.matching.language.lexicon import KINDS, lexicon, opposites, read_lexicon, strongest_facets
from workbench.matching.language.negation import clauses, replace_denials, scopes

FILES = ("briefs.toml", "negation.toml", "opposites.toml", "languages.toml")
TABLES = {
    "list": ["b", "a"],
    "voice": {"named": {"en": ["vocals?", "voice"], "de": ["gesang"], "fr": ["voix"]}},
    "mixed": {"en": "voice"},
    "numbers": {"one": "1"},
    "wrong": {"en": ["("]},
    "none": [],
}


@pytest.fixture
def grammar() -> Grammar:
    return Grammar("a.toml", TABLES)


@pytest.mark.parametrize("name", FILES)
def test_files_are_read(name: str) -> None:
    with pytest.raises(ResourceMissing, match=f"{name}: there is no entry no.such"):
        read_grammar(name).entry("no.such")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ResourceMissing, match=r"none\.toml"):
        read_grammar("none.toml")


def test_phrases_keep_their_order(grammar: Grammar) -> None:
    assert grammar.phrases("list") == ("b", "a")
    assert grammar.phrases("voice.named") == ("vocals?", "voice", "gesang", "voix")
    assert grammar.phrases("voice.named", "fr", "de", "nl") == ("voix", "gesang")
    assert grammar.any_of("voice.named", "en") == "vocals?|voice"
    assert grammar.words("list") == {"a", "b"}
    assert grammar.pairs("numbers") == {"one": "1"}


@pytest.mark.parametrize("path", ["voice", "mixed", "numbers", "none"])
def test_an_entry_without_phrases_is_named(grammar: Grammar, path: str) -> None:
    with pytest.raises(ResourceMissing, match=rf"a\.toml: {path} has to hold lists of phrases"):
        grammar.phrases(path)


def test_other_mistakes_are_named(grammar: Grammar) -> None:
    with pytest.raises(ResourceMissing, match=r"a\.toml: wrong: '\(' is no regular expression"):
        grammar.any_of("wrong")
    with pytest.raises(ResourceMissing, match=r"a\.toml: voice must map words to words"):
        grammar.pairs("voice")


def denied(text: str) -> list[str]:
    return [
        word
        for clause in clauses(text)
        for word, scope in zip(clause.words, scopes(clause.words), strict=True)
        if scope is not None
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not sad at all", ["sad"]),
        ("not sad, but hopeful", ["sad"]),
        ("not sad but hopeful", ["sad"]),
        ("never calm", ["calm"]),
        ("without hope or joy", ["hope", "or", "joy"]),
        ("no drums and bass", ["drums", "and", "bass"]),
        ("not sad and calm", ["sad"]),
        ("not happy in the old house", ["happy"]),
        ("no longer afraid of the dark", ["afraid"]),
        ("anything but boring", ["boring"]),
        ("They aren\u2019t sad", ["sad"]),
        ("neither sad nor angry", ["sad", "angry"]),
        ("not only sad", []),
        ("no doubt a happy day", []),
        ("nothing but joy", []),
        ("not without hope", []),
        ("isn't it lovely", []),
        ("I have never been so happy", ["been"]),
        ("kein Schlagzeug, ohne Gesang", ["schlagzeug", "gesang"]),
        ("pas triste mais calme", ["triste"]),
        ("sin voces", ["voces"]),
        ("I don't want drums", ["want", "drums"]),
        ("I do want drums", []),
        ("I never want drums or bass", ["want", "drums", "or", "bass"]),
        ("I don't want drums and bass", ["want", "drums", "and", "bass"]),
        ("niet droevig want het is feest", ["droevig"]),
        ("We can't wait to be happy again", []),
        ("We can not wait to be happy again", []),
        ("I cannot get enough joy", []),
        ("I couldn't help but smile", []),
        ("I can't get happy", ["get", "happy"]),
        ("not a day goes by without joy", ["a", "day", "goes", "by"]),
        ("she never leaves without a smile", ["leaves"]),
        ("not too loud without drums", ["too", "loud", "drums"]),
        ("not entirely without hope", ["entirely"]),
        ("no more than two tracks", ["more", "than", "two", "tracks"]),
        ("don't go over 120", ["go", "over", "120"]),
        ("no tracks with lyrics", ["tracks", "with", "lyrics"]),
        ("nothing that has drums", ["that", "has", "drums"]),
        ("no drums with lyrics", ["drums"]),
    ],
)
def test_a_negation_covers_its_clause_and_no_more(text: str, words: list[str]) -> None:
    assert [word for word in denied(text) if word != "at" and word != "all"] == words


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It was not sad at all.", "It was cheerful at all."),
        ("She is never calm", "She is tense"),
        ("They aren't sad.", "They are cheerful."),
        ("I don't feel sad, I feel angry.", "I feel cheerful, I feel angry."),
        ("no longer afraid", "confident"),
        ("anything but boring", "exciting"),
        ("The lake has not moved.", "The lake has not moved."),
        ("I have never been so happy", "I have never been so happy"),
        ("We don't want sad music here", "We want cheerful music here"),
        ("We can't wait to be happy again.", "We can't wait to be happy again."),
        ("Not a day goes by without joy.", "Not a day goes by without joy."),
        ("", ""),
    ],
)
def test_a_denied_feeling_is_read_as_its_opposite_and_nothing_else_is_touched(text: str, read: str) -> None:
    assert replace_denials(text, opposites()).text == read


def test_what_was_denied_is_told_as_it_was_said() -> None:
    assert replace_denials("He was NEVER calm.", opposites()).denials == (("NEVER calm", "tense"),)


def test_every_opposite_is_a_mood_that_the_lexicon_knows() -> None:
    book = lexicon()
    for opposite in opposites().values():
        assert book.kinds[book.terms[opposite][0]] == "moods"


def test_every_entry_is_within_its_ranges() -> None:
    book = lexicon()
    energy, bpm, brightness, mode = book.sounds.T
    assert ((energy > 0) & (energy < 1) & (brightness > 0) & (brightness < 1)).all()
    assert ((bpm >= 50) & (bpm <= 180) & (np.abs(mode) <= 1)).all()
    assert len(set(zip(book.kinds, book.names, strict=True))) == len(book.names)


def test_every_scene_names_moods_genres_and_instruments() -> None:
    book = lexicon()
    for scene in book.scenes:
        assert all(scene.facets[book.of(kind)].any() for kind in KINDS), scene.name
        assert len(scene.lines) >= 2
        assert len(scene.cues) >= 6


def test_lines_are_told_once_and_have_facets() -> None:
    lines = lexicon().lines
    assert len(lines) > 900
    assert len({line.text for line in lines}) == len(lines)
    assert all(line.facets.any() for line in lines)


def test_calm_is_quieter_than_heroic() -> None:
    calm, heroic = read_lexicon("calm and peaceful").sound, read_lexicon("an epic, triumphant fanfare").sound
    assert calm is not None
    assert heroic is not None
    assert calm.energy + 0.3 < heroic.energy
    assert calm.bpm < heroic.bpm


def test_words_of_a_track_are_found_in_all_their_forms() -> None:
    found = read_lexicon(
        "Lo-fi hip hop beat with fingerpicked guitars, softly brushed drums; drum and bass break"
    ).found
    assert {"lofi", "hiphop", "guitar", "drums", "tender", "breakbeat"} <= set(found)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("no drums", {"drums"}),
        ("without vocals or guitars", {"vocals", "guitar", "electric guitar"}),
        ("warm, not sad but hopeful", {"sad"}),
        ("ohne Klavier", {"piano"}),
    ],
)
def test_a_negation_denies_what_follows_it(text: str, denied: set[str]) -> None:
    assert denied <= set(strongest_facets(read_lexicon(text).denied, most=9))


def test_a_turn_ends_a_negation() -> None:
    meaning = read_lexicon("not sad but hopeful")
    assert strongest_facets(meaning.facets) == ["uplifting"]


def test_a_text_that_names_nothing_has_no_sound() -> None:
    meaning = read_lexicon("invoice 4711")
    assert meaning.sound is None
    assert not meaning.facets.any()


def test_five_million_characters_are_read_in_no_time() -> None:
    assert read_lexicon("happy piano " * 400_000).facets.any()
