"""In which language a text is written, and whether its words are known at all.

Scripts of their own tell a language at once. Of those in Latin letters seven are told apart by their commonest words
and by letters that only some have. A word that several languages share counts as much less in each; English words that
the lexicon knows speak for English too, so that "Los Angeles at sunrise" and "calm piano" stay English. That is enough
for two words ("ohne Gesang"), and where nothing tells the text is taken to be English, which is what the reader knows
best.

A text of which hardly a word is known in any of them says nothing that can be read: keys struck at random, numbers,
emoji, or a language that is not among the seven, even where it shares letters with one of them.

Functions: `language_of`, `is_readable`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache

from workbench.language.lexicon import lexicon

ENGLISH = "English"
_READ_CHARACTERS = 4_000
_LEAST = 0.6
"""of evidence, from where on a text is said to be in another language than English"""
_CLEARLY = 1.3
"""times as much as for English"""
_LETTER_SHARE = 0.5
"""what a telling letter counts beside a telling word"""
_KNOWN_SHARE = 0.5
"""what an English word that is none of the commonest counts beside one that is"""
_LEAST_KNOWN = 0.25
"""share of a text's words that have to be known for it to say something"""
_SHORTEST_WHOLE = 3
"""letters of a word that an embedding may vouch for; shorter pieces are whole to it whatever they mean"""


def language_of(text: str) -> str:
    """The language of a text in English, as "German"; of a script that several write its name; English in doubt."""
    script = _script_of(text)
    if script is not None:
        return script
    english, evidence = 0.0, dict.fromkeys(_COMMONEST, 0.0)
    for word in dict.fromkeys(_words(text)):
        speakers = _speakers().get(word, ())
        for name in speakers:
            evidence[name] += 1.0 / len(speakers)
        if ENGLISH not in speakers:
            english += _KNOWN_SHARE * (word in _english_words())
        if speakers:
            continue
        for letters, names in _LETTERS:
            if letters & set(word):
                for name in names:
                    evidence[name] += _LETTER_SHARE / len(names)
    english += evidence.pop(ENGLISH)
    best = max(evidence, key=lambda name: evidence[name])
    return best if evidence[best] > _CLEARLY * english and evidence[best] >= _LEAST else ENGLISH


def is_readable(text: str, is_whole: Callable[[str], bool] | None = None) -> bool:
    """Whether a text says something in a language that is known here.

    Parameters
    ----------
    text : any text
    is_whole : whether a word is one of an embedding's vocabulary
    """
    words, language = _words(text), language_of(text)
    if language != ENGLISH:
        common = _COMMONEST.get(language)  # none of a script of its own, which is told by every letter
        return common is None or any(word in common or word in lexicon().foreign for word in words)
    known = sum(
        word in _known_words() or (len(word) >= _SHORTEST_WHOLE and is_whole is not None and is_whole(word))
        for word in words
    )
    return known > 0 and known >= _LEAST_KNOWN * len(words)


def _script_of(text: str) -> str | None:
    """What a text is written in, where that is not Latin."""
    letters = [unicodedata.name(letter, "").split(" ")[0] for letter in text[:_READ_CHARACTERS] if letter.isalpha()]
    if not letters:
        return None
    script, count = Counter(letters).most_common(1)[0]
    if script == "LATIN" or count <= len(letters) / 2:
        return None
    return _SCRIPTS.get(script, f"{script.capitalize()} script")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text[:_READ_CHARACTERS].lower())


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """The languages that each common word belongs to."""
    words = {word for common in _COMMONEST.values() for word in common}
    return {word: tuple(name for name, common in _COMMONEST.items() if word in common) for word in words}


@cache
def _english_words() -> frozenset[str]:
    """English words beside the commonest: those of the lexicon's lines, and of how catalogs describe music."""
    book = lexicon()
    texts = (
        *(term for term in book.terms if term not in book.foreign),
        *(line.text for line in book.lines),
        *book.music,
        *(f"{scene.name} {scene.music}" for scene in book.scenes),
    )
    return frozenset(word for text in texts for word in _words(text) if len(word) > 1)


@cache
def _known_words() -> frozenset[str]:
    book = lexicon()
    named = (part for term in (*book.terms, *book.cues) for part in term.split("-") if len(part) > 1)
    return frozenset((*_english_words(), *_speakers(), *named))


_SCRIPTS = {
    "CYRILLIC": "Cyrillic script", "GREEK": "Greek", "ARABIC": "Arabic script", "HEBREW": "Hebrew",
    "DEVANAGARI": "Devanagari script", "CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese",
    "HANGUL": "Korean", "THAI": "Thai",
}  # fmt: skip
_LETTERS = (
    (frozenset("ß"), ("German",)),
    (frozenset("äöü"), ("German",)),
    (frozenset("ñ"), ("Spanish",)),
    (frozenset("ãõ"), ("Portuguese",)),
    (frozenset("œêèùâîû"), ("French",)),
    (frozenset("ìò"), ("Italian",)),
    (frozenset("ç"), ("French", "Portuguese")),
    (frozenset("áíóú"), ("Spanish", "Portuguese")),
)
"""letters, and the languages of the seven that write them"""
_COMMON = {
    "English": "the and of to is you it that in we for with this was your are on he she they not but my be have at "
    "our a i me no so do as or an by his her him us will can all from what when who how there one out "
    "up if been were has had their them its then than now just into about never don't die list come man "
    "sin pour sur el la los las",
    "German": "der die das und ist nicht ich wir sie ein eine mit auf den für von zu im es wie auch sich dem "
    "unser noch so einen einem einer eines kein keine keinen ohne mich mir dich dir uns euch ihr sein "
    "seine ihre mein meine bin bist sind war waren hat haben wird werden kann aber oder wenn als am an "
    "bei nach aus über unter vor zum zur nur schon immer nie alles nichts man hier dort dann heute "
    "morgen abend nacht tag leben liebe musik langsam schnell leise laut ruhig ruhige ruhiger ruhiges "
    "traurig traurige fröhlich fröhliche schön schöne gesang schlagzeug klavier gitarre stimme bitte "
    "etwas sehr viel mehr weniger höchstens mindestens gute guten neue neuen wieder",
    "French": "le la les et est une un des que nous vous dans pour pas je qui du il elle sur avec ce au notre "
    "mais plus sans cette ces son sa ses mon ma mes ton ta te me se ne on en aux très bien tout tous "
    "toute rien jamais toujours comme sont était être avoir ont fait faire chez où là ici alors moins "
    "aussi leur leurs votre vos nos quand jour nuit matin soir vie amour musique lent lente rapide doux "
    "douce calme triste joyeux joyeuse voix chant batterie guitare aucune aucun lentement bonjour "
    "merci mer maison",
    "Spanish": "el la los las y es una un que de en no por con para se su nos lo como más pero nuestro del al está "
    "sin mi mis tu tus sus yo ella ellos nosotros muy todo todos toda nada nunca siempre hay ser estar "
    "son era fue hacer cuando donde aquí ahora menos también esta este esto esa ese día noche mañana "
    "tarde vida amor música lento lenta rápido rápida suave tranquilo tranquila triste alegre feliz voz "
    "voces batería guitarra ni ningún ninguna hola gracias mar casa tiempo sobre entre desde hasta "
    "porque quiero",
    "Italian": "il la e è un una che di non per con si gli le del della sono nel più ma come anche questo noi al "
    "lo senza mio mia tuo sua suo loro io lei lui molto tutto tutti nulla niente mai sempre quando dove "
    "qui ora meno giorno notte mattina sera vita amore musica lento lenta veloce dolce calmo calma "
    "triste felice allegro voce chitarra batteria nessun nessuna ciao grazie mare casa tempo dei delle "
    "alla nella",
    "Portuguese": "o a e é um uma que de não para com os as do da em no na se mais mas nós você seu ao está sem meu "
    "minha sua eu ela eles muito tudo todos nada nunca sempre quando onde aqui agora menos também dia "
    "noite manhã tarde vida amor música lento lenta rápido suave calmo calma triste alegre feliz voz "
    "bateria violão nenhum nenhuma olá obrigado mar casa tempo dos das pelo pela são foi ser",
    "Dutch": "de het een en is niet van ik wij we met op voor dat zijn ze te er aan ons ook naar je om maar nog "
    "zonder geen mijn jouw haar hun hij jij wat wie waar hier daar nu dan als of uit over onder bij tot "
    "heel veel meer minder alles niets nooit altijd dag nacht ochtend avond leven liefde muziek "
    "langzaam snel rustig rustige zacht zachte stil stille verdrietig vrolijk zang stem gitaar "
    "huis zee",
}
_COMMONEST = {name: frozenset(words.split()) for name, words in _COMMON.items()}
"""words that stand in many texts of a language, and some that are used of music"""
