"""What a script asks for is read from how it speaks, and languages are told apart."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.matching.language.embedding import DEPTHS, DIMS, SentenceEmbedding
from workbench.matching.language.lexicon import lexicon, strongest_facets
from workbench.matching.script import line_targets, read_script, reader


def test_the_reader_was_fitted_on_this_lexicon() -> None:
    fitted = reader()
    assert fitted.weights.shape == (len(lexicon().lines), len(lexicon().names) + 4)
    assert fitted.axes.shape == (len(DEPTHS) * DIMS, fitted.places.shape[1])
    np.testing.assert_allclose(fitted.usual, line_targets().mean(axis=0), atol=2e-3)


@pytest.mark.parametrize(
    ("script", "mood"),
    [
        ("The house is quiet since she left. I keep setting two cups on the table.", "sad"),
        ("Something breathed behind the cellar door, and then it said my name.", "scary"),
        ("Let your eyes close. Breathe out slowly, and let the day go.", "calm"),
        ("Five, four, three, push! Do not stop! Faster! Last round, everything you've got!", "energetic"),
    ],
)
def test_a_mood_is_read_that_no_word_names(embedding: SentenceEmbedding, script: str, mood: str) -> None:
    assert mood in strongest_facets(read_script(script, embedding).facets, ("moods",), most=4)


def test_a_workout_is_louder_than_a_lullaby(embedding: SentenceEmbedding) -> None:
    loud = read_script("Jump! Push! Ten more! Sweat it out, don't you dare slow down!", embedding).sound
    soft = read_script("Good night, little one. The moon is up and all the boats are asleep.", embedding).sound
    assert loud.energy > soft.energy + 0.3
    assert loud.bpm > soft.bpm + 20


def test_without_the_embedding_the_lexicon_reads_single_words() -> None:
    reading = read_script("Chop the onion, heat the butter, and add garlic to the sauce.")
    assert not reading.by_embedding
    assert reading.vector is None
    assert reading.scene == "a cooking video"
    assert "warm" in strongest_facets(reading.facets, ("moods",))


def test_nothing_to_read_asks_for_nothing_special() -> None:
    reading = read_script("Zxq 4711.")
    assert reading.words == ()
    assert 0.3 < reading.sound.energy < 0.6


def test_two_words_are_not_followed_far(embedding: SentenceEmbedding) -> None:
    short, long = read_script("Buy now!", embedding), read_script("Buy now! " * 12, embedding)
    usual = read_script("Zxq 4711.").sound.energy
    assert abs(short.sound.energy - usual) < abs(long.sound.energy - usual)


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "4711 0815", "🎉🎉"])
def test_what_cannot_be_read_asks_for_no_facet_and_the_usual_sound(text: str) -> None:
    reading = read_script(text)
    assert not reading.readable
    assert not reading.facets.any()
    assert reading.sound.energy == pytest.approx(line_targets().mean(axis=0)[-4])


@pytest.mark.parametrize("lexicon_only", [True, False])
@pytest.mark.parametrize(
    ("asserted", "denying", "mood", "other"),
    [
        ("The day was sad.", "The day was not sad at all.", "sad", "happy"),
        ("She is calm.", "She is never calm.", "calm", "tense"),
        ("The room was scary.", "The room was anything but scary.", "scary", "warm"),
        ("They live with hope.", "They live without hope.", "uplifting", "dark"),
    ],
)
def test_a_denied_mood_is_read_as_its_opposite(
    request: pytest.FixtureRequest, asserted: str, denying: str, mood: str, other: str, lexicon_only: bool
) -> None:
    by = None if lexicon_only else request.getfixturevalue("embedding")
    said, denied = read_script(asserted, by), read_script(denying, by)
    first, second = lexicon().index(mood), lexicon().index(other)
    assert denied.facets[first] < said.facets[first]
    assert denied.facets[second] > denied.facets[first]
    assert len(denied.denials) == 1
    assert said.denials == ()


@pytest.mark.parametrize(
    "script", ["We can't wait to be happy again", "Not a day goes by without joy", "We don't want sad music here"]
)
def test_what_only_seems_denied_or_is_not_wanted_does_not_turn_sad(script: str) -> None:
    assert strongest_facets(read_script(script).facets, ("moods",), most=1) == ["happy"]


def test_another_language_degrades_gently(embedding: SentenceEmbedding) -> None:
    reading = read_script("Die Nacht ist ruhig, und das Meer ist friedlich. Niemand ist hier.", embedding)
    assert reading.language == "German"
    assert strongest_facets(reading.facets, ("moods",), most=1) == ["calm"]
    assert reading.sound.energy < 0.5


@pytest.mark.parametrize(
    ("script", "language", "mood"),
    [
        ("Die Braut weint, der Bräutigam lacht, und alle heben das Glas auf die Hochzeit.", "German", "romantic"),
        ("På skolan är det tyst. Begravningen är över, och vi bär vår sorg och saknad.", "Swedish", "sad"),
        ("To nie był sen. W piwnicy był krzyk, krew i duch, który do nas mówił.", "Polish", "scary"),
        ("El caballero alza la espada y el dragón cae. El reino vive, y nadie lo olvida.", "Spanish", "heroic"),
    ],
)
def test_scenes_are_recognised_in_other_languages_without_the_embedding(script: str, language: str, mood: str) -> None:
    reading = read_script(script)
    assert (reading.language, reading.readable) == (language, True)
    assert mood in strongest_facets(reading.facets, ("moods",), most=2)


@pytest.mark.parametrize(
    ("script", "scene"),
    [
        ("La banca dà un prestito a chi ha poco, e il risparmio di tutti cresce.", "a financial or insurance message"),
        ("In de bibliotheek is het stil. Ik moet studeren, want mijn tentamen is morgen.", "studying or coding along"),
        ("Min läkare på sjukhuset säger att jag är frisk. Sköterskan skrattar.", "an illness and recovery story"),
        ("À l'usine, l'acier coule. Les ingénieurs sont sur le chantier.", "industry, engineering and construction"),
    ],
)
def test_more_kinds_of_text_are_recognised_in_other_languages(script: str, scene: str) -> None:
    assert read_script(script).scene == scene


def test_cues_are_known_in_other_forms_of_the_verb() -> None:
    assert read_script("She kept stirring until it had simmered for an hour.").scene == "a cooking video"


def test_a_common_word_of_another_language_is_no_english_cue() -> None:
    """A con is a fraud in English, and "with" in Spanish and Italian; a son is "his" in French."""
    assert "con" in read_script("The con was on, and the vault was open.").words
    assert "con" not in read_script("El caballero va con la espada, y con el dragón.").words
    assert "son" not in read_script("Il est dans son jardin, et elle est avec nous.").words


@pytest.mark.parametrize(
    ("script", "mood"),
    [("Mężczyzna jest smutny, i nie ma nikogo.", "sad"), ("Natten är mörk och jag är rädd.", "dark")],
)
def test_moods_are_known_in_polish_and_swedish(script: str, mood: str) -> None:
    assert strongest_facets(read_script(script).facets, ("moods",), most=1) == [mood]


def test_words_of_the_lexicons_lines_count_without_the_embedding() -> None:
    """No cue and no mood is named; each of the words stands in lines of the same kind."""
    said = read_script("The telegram boy cycled to the village. The curtain moved.")
    assert said.facets.any()
    assert not read_script("xqz").facets.any()
