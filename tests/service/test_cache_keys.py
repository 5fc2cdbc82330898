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
    lanes = [cache_keys.match_key("v", *rest) for rest in ((1, "r"), (2, "r"), (1, "r", "calm"), (1, "r", "dark"))]
    assert len(set(lanes)) == 4
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
