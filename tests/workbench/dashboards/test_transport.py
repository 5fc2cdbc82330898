"""The transport's half on the server: where it is sent, and the lines and clicks that belong to it."""

from __future__ import annotations

from workbench.dashboards.transport import Program, Transport, TransportBar


def test_a_player_goes_to_the_same_place_again() -> None:
    player = TransportBar()
    player.go(42.0)
    assert player.time == 42.0, "also where it is drawn only after the wish"
    first = list(player.seek)
    player.go(42.0)
    assert player.seek[0] == first[0] == 42.0
    assert player.seek != first


def shown(**programs: Program) -> Transport:
    """A transport with these programs, of which the first tab's is open."""
    transport = Transport()
    for title, program in programs.items():
        transport.add(title, program)
    transport.open_tab(next(iter(programs)))
    return transport


def test_what_has_no_picture_of_time_is_not_zoomed() -> None:
    transport = shown(Plan=Program(playheads=["plan-head"]), Review=Program())
    assert transport.bar.zooms
    transport.open_tab("Review")
    assert (transport.bar.zooms, transport.bar.playheads) == (False, ["plan-head"])
    transport.open_tab("Listening", plays_itself=True)
    assert not transport.bar.zooms


def played(transport: Transport, at: float) -> None:
    """What the browser tells while it plays at a place."""
    transport.bar.playing = True
    transport.bar.told = [transport.bar.seek[1] if transport.bar.seek else 0.0, at]


def test_programs_of_one_clock_take_over_while_they_play() -> None:
    plan = Program(music_a="plan.wav", video_url="videos/0a", region=[8.0, 12.0], playheads=["one"])
    mix = Program(playheads=["two"])
    transport = shown(Plan=plan, Mix=mix)
    played(transport, 10.0)
    sought = list(transport.bar.seek)
    transport.open_tab("Mix")
    assert (transport.bar.title, transport.bar.music_a) == ("Plan", "plan.wav"), "the mix is not ready to be heard"
    assert transport.bar.here == ""
    mix.param.update(music_a="mix.wav", duration=60.0)
    assert (transport.bar.title, transport.bar.music_a, transport.bar.duration) == ("Mix", "mix.wav", 60.0)
    assert transport.bar.seek == sought, "the place stays"
    assert transport.bar.video_url == "videos/0a", "so that it is there when one comes back"
    assert not transport.bar.video_shown
    assert (mix.time, mix.region, mix.playing, plan.playing) == (10.0, [8.0, 12.0], True, False)
    assert transport.bar.playheads == ["one", "two"]
    transport.bar.chosen = "b"
    assert (mix.chosen, plan.chosen) == ("b", "a")


def test_where_it_plays_is_told_to_all_programs_before_one_of_them_is_followed() -> None:
    plan, mix = Program(music_a="plan.wav"), Program(music_a="mix.wav")
    transport = shown(Plan=plan, Mix=mix)
    seen = []
    plan.param.watch(lambda event: seen.append((event.new, mix.time)), "time")
    played(transport, 10.0)
    assert seen == [(10.0, 10.0)]


def test_the_keys_of_the_open_tab_are_listed() -> None:
    keys = [["t", "tap"]]
    transport = shown(Plan=Program(music_a="plan.wav"), Beats=Program(clock="track", keys=keys))
    assert transport.bar.tab_keys == []
    played(transport, 10.0)
    transport.open_tab("Beats")
    assert transport.bar.tab_keys == keys, "also while the plan plays on"
    transport.open_tab("Seams", plays_itself=True)
    assert transport.bar.tab_keys == []


def test_a_program_of_another_clock_waits_until_what_plays_stops() -> None:
    plan, track = Program(music_a="plan.wav"), Program(clock="track", music_a="track.wav", time=3.0)
    transport = shown(Plan=plan, Beats=track)
    played(transport, 10.0)
    transport.open_tab("Beats")
    assert (transport.bar.title, transport.bar.here) == ("Plan", "Beats")
    track.go(5.0)
    assert plan.time == 10.0
    transport.bar.playing = False
    assert (transport.bar.title, transport.bar.here, transport.bar.music_a) == ("Beats", "", "track.wav")
    assert transport.bar.seek[0] == 5.0
    transport.bar.told = [transport.bar.seek[1] - 1.0, 10.5]
    assert track.time == 5.0, "what was told before the place changed is of another clock"


def test_a_click_in_a_tab_is_heard_there_at_once() -> None:
    plan, track = Program(music_a="plan.wav"), Program(clock="track", music_a="track.wav")
    transport = shown(Plan=plan, Beats=track)
    played(transport, 10.0)
    transport.open_tab("Beats")
    transport.bar.asked = [42.0, 1]
    assert (transport.bar.title, transport.bar.seek[0], track.playing, plan.playing) == ("Beats", 42.0, True, False)


def test_a_tab_without_a_program_leaves_what_plays_and_has_its_own_keys() -> None:
    transport = shown(Plan=Program(music_a="plan.wav"))
    transport.open_tab("Seams", plays_itself=True)
    assert (transport.bar.title, transport.bar.here, transport.bar.own_keys) == ("Plan", "", True)
