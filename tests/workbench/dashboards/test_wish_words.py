"""What is asked of a plan in the words of the page, which has no options to type."""

from __future__ import annotations

from workbench.dashboards.wish_words import all_in_words, in_words, kept_words


def test_a_wish_in_words() -> None:
    assert in_words("--pin-seam 1:32-0:48.5") == "pinned 1:32 → 0:48.5"
    assert in_words("--exclude 0:40-1:00") == "excluded 0:40 to 1:00"
    assert in_words("--end-on 3:58") == "last hit at 3:58"


def test_a_sentence_names_wishes_as_the_page_does() -> None:
    labels = ["--keep 0:10-0:20", "--keep 0:10-0:20.5"]
    said = all_in_words("--keep 0:10-0:20.5 and --keep 0:10-0:20 cannot be kept together", labels)
    assert said == "kept whole 0:10 to 0:20.5 and kept whole 0:10 to 0:20 cannot be kept together"


def test_what_is_kept_with_a_track_says_where_it_is_dropped() -> None:
    said = kept_words(["--never-cut 0:40-1:00", "--pin-seam 1:32-0:48"])
    assert said == "kept with the track: never cut 0:40 to 1:00, pinned 1:32 → 0:48; it can be dropped in Plan"
