"""Cache keys change with everything that an answer depends on."""

from __future__ import annotations

from service import cache_keys


def test_a_key_changes_with_everything_it_depends_on() -> None:
    parts = ("video", "track", "grid", "revision")
    made = {cache_keys.loop_key(*parts), cache_keys.align_key(*parts), cache_keys.mix_key(cache_keys.loop_key(*parts))}
    for place in range(4):
        changed = [part + "'" if number == place else part for number, part in enumerate(parts)]
        made |= {cache_keys.loop_key(*changed), cache_keys.align_key(*changed)}
    assert len(made) == 11
    assert cache_keys.loop_key(*parts) == cache_keys.loop_key(*parts)
    assert cache_keys.match_key("v", 1, "r") != cache_keys.match_key("v", 2, "r")
    assert (
        len(
            {
                cache_keys.beats_key("c", "", "r"),
                cache_keys.beats_key("c", "", "s"),
                cache_keys.beats_key("c", "g", "r"),
            }
        )
        == 3
    )
