"""Manifests: good rows come through, bad ones are named, nothing aborts the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.catalog.manifest import is_manifest, read_manifest
from workbench.errors import ManifestError


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class TestCsv:
    def test_types_lists_and_paths(self, tmp_path: Path) -> None:
        manifest = read_manifest(
            written(
                tmp_path / "m.csv",
                "path,track_id,title,bpm,instrumental,tags,energy\n"
                'music/a.ogg,trk_a,"Sea, calm",92.5,true,sea; calm ;,0.25\n'
                "/abs/b.ogg,,,,no,,\n",
            )
        )
        first, second = manifest.rows
        assert (first.line, first.path, first.track_id) == (2, tmp_path / "music/a.ogg", "trk_a")
        assert first.fields == {
            "title": "Sea, calm", "bpm": 92.5, "instrumental": True, "tags": ("sea", "calm"), "energy": 0.25
        }  # fmt: skip
        assert (second.path, second.track_id, second.fields) == (Path("/abs/b.ogg"), None, {"instrumental": False})
        assert (manifest.faults, manifest.warnings) == ((), ())

    def test_bad_rows_are_named_and_skipped(self, tmp_path: Path) -> None:
        manifest = read_manifest(
            written(
                tmp_path / "m.csv",
                "path,track_id,bpm,explicit\n"
                "a.ogg,one,fast,\n"
                ",two,,\n"
                "b.ogg,three,,maybe\n"
                "c.ogg,four,120,true\n"
                "d.ogg,four,,\n"
                "e.ogg,five,120,true,surplus\n"
                "f.ogg,six,-3,\n",
            )
        )
        assert [row.track_id for row in manifest.rows] == ["four"]
        messages = [fault.message for fault in manifest.faults]
        assert [fault.line for fault in manifest.faults] == [2, 3, 4, 6, 7, 8]
        for message, part in zip(
            messages,
            ["bpm must be a number", "no path", "explicit", "line 5 already", "5 cells", "bpm must be"],
            strict=True,
        ):
            assert part in message
            assert message.startswith("m.csv, line ")

    def test_a_sloppy_credit_costs_no_track(self, tmp_path: Path) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", "path,title,isrc,source_url\na.ogg,Sea,n/a,example.org\n"))
        assert [row.fields for row in manifest.rows] == [{"title": "Sea"}]
        assert [warning.partition(": ")[0] for warning in manifest.warnings] == ["m.csv, line 2"] * 2

    def test_unknown_columns_are_named_once(self, tmp_path: Path) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", "path,colour,size\na.ogg,red,1\nb.ogg,blue,2\n"))
        assert len(manifest.rows) == 2
        assert manifest.warnings == ("m.csv: ignored unknown columns: colour, size",)

    def test_byte_order_mark_windows_lines_and_blank_rows(self, tmp_path: Path) -> None:
        manifest = read_manifest(
            written(tmp_path / "m.csv", "\ufeffpath,title\r\na.ogg,Über\r\n\r\n,\r\nb.ogg,two\r\n".encode())
        )
        assert [(row.line, row.fields["title"]) for row in manifest.rows] == [(2, "Über"), (5, "two")]

    def test_a_cell_over_two_lines(self, tmp_path: Path) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", 'path,description\na.ogg,"two\nlines"\nb.ogg,x\n'))
        assert manifest.rows[0].fields["description"] == "two\nlines"
        assert manifest.rows[1].line == 4

    @pytest.mark.parametrize(
        ("text", "match"),
        [
            ("title\nx\n", "no column is called path"),
            ("", "no column is called path"),
            ("path,bpm,bpm\na,1,2\n", "two columns are called bpm"),
        ],
    )
    def test_what_is_no_manifest(self, tmp_path: Path, text: str, match: str) -> None:
        with pytest.raises(ManifestError, match=match):
            read_manifest(written(tmp_path / "m.csv", text))

    @pytest.mark.parametrize("stated", ['sep="', "sep=", 'sep=""', '"sep=""'])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_what_cannot_part_cells_is_no_statement(self, tmp_path: Path, stated: str, end: str) -> None:
        with pytest.raises(ManifestError, match=r"no column is called path|not CSV"):
            read_manifest(written(tmp_path / "m.csv", f"{stated}{end}path{end}a.ogg{end}"))

    @pytest.mark.parametrize(
        ("rows", "good", "line", "message"),
        [
            (b"a.ogg,x\nb.ogg,\xfcber\nc.ogg,y\n", ["a.ogg", "c.ogg"], 3, "not UTF-8"),
            (b"file:///a%00.wav,\nb.ogg,\n", ["b.ogg"], 2, "m.csv, line 2: a path cannot hold a NUL character"),
            (b'a.ogg,one\nb.ogg,"two\nc.ogg,three\nd.ogg,"four"\n', ["a.ogg", "c.ogg", "d.ogg"], 3, "line 3"),
            (b"a.ogg," + b"x" * 5_000_000 + b"\nb.ogg,short\n", ["b.ogg"], 2, "5000000"),
        ],
        ids=["encoding", "NUL", "open quote", "five megabytes"],
    )
    def test_a_bad_row_is_bad_by_itself(
        self, tmp_path: Path, rows: bytes, good: list[str], line: int, message: str
    ) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", b"path,title\n" + rows))
        assert [row.path.name for row in manifest.rows] == good
        (fault,) = manifest.faults
        assert fault.line == line
        assert message in fault.message
        assert len(fault.message) < 200

    def test_utf16_says_so_by_its_first_bytes(self, tmp_path: Path) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", "path,title\na.ogg,Über\n".encode("utf-16")))
        assert manifest.rows[0].fields == {"title": "Über"}


class TestAsSpreadsheetsSaveIt:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("german.csv", "path;title;bpm\r\na.ogg;Über;92,5\r\n".encode("utf-8-sig")),
            ("excel.csv", "sep=;\r\npath;title;bpm\r\na.ogg;Über;92,5\r\n".encode()),
            ("excel.tsv", 'sep=\t\r\npath\ttitle\tbpm\r\na.ogg\tÜber\t"92,5"\r\n'.encode()),
            ("comma.csv", 'sep=,\r\npath,title,bpm\r\na.ogg,"Über","92,5"\r\n'.encode()),
            ("unicode.txt", "path\ttitle\tbpm\r\na.ogg\tÜber\t92,5\r\n".encode("utf-16")),
            ("big-endian.csv", "\ufeffpath;title;bpm\na.ogg;Über;92.5\n".encode("utf-16-be")),
            ("unmarked.csv", "path,title,bpm\na.ogg,Über,92.5\n".encode("utf-16-le")),
            ("tabs.csv", "path\ttitle\tbpm\na.ogg\tÜber\t92.5\n".encode()),
            ("bars.txt", "path|title|bpm\na.ogg|Über|92.5\n".encode()),
            ("names.csv", "BPM, Title ,Path\n92.5,Über,a.ogg\n".encode()),
            ("old-mac.csv", "path;title;bpm\ra.ogg;Über;92,5\r".encode()),
            ("lines.jsonl", '{"Path": "a.ogg", "TITLE": "Über", "bpm": 92.5}\n'.encode("utf-16")),
        ],
    )
    def test_it_is_read(self, tmp_path: Path, name: str, content: bytes) -> None:
        manifest = read_manifest(written(tmp_path / name, content))
        assert [(row.path, row.fields) for row in manifest.rows] == [
            (tmp_path / "a.ogg", {"title": "Über", "bpm": 92.5})
        ]
        assert (manifest.faults, manifest.warnings) == ((), ())

    def test_other_delimiters_within_cells_are_text(self, tmp_path: Path) -> None:
        rows = 'path;title;tags\nx, y.ogg;"One; two";"calm;sea"\n'
        (row,) = read_manifest(written(tmp_path / "m.csv", rows)).rows
        assert row.path.name == "x, y.ogg"
        assert row.fields == {"title": "One; two", "tags": ("calm", "sea")}

    @pytest.mark.parametrize("number", ["1,234.5", "1.234,5", "9,2,5", ","])
    def test_a_number_has_one_decimal_sign(self, tmp_path: Path, number: str) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", f"path;bpm\na.ogg;{number}\n"))
        assert f"bpm must be a number, got '{number}'" in manifest.faults[0].message

    @pytest.mark.parametrize("yes", ["WAHR", "ja", "VRAI", "oui", "VERDADERO", "SÍ", "VERO", "sì", "x", "X", "1"])
    @pytest.mark.parametrize("no", ["FALSCH", "nein", "FAUX", "non", "FALSO", "no", "0"])
    def test_flags_are_in_the_words_of_several_languages(self, tmp_path: Path, yes: str, no: str) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", f"path;explicit;instrumental\na.ogg;{no};{yes}\n"))
        assert [row.fields for row in manifest.rows] == [{"explicit": False, "instrumental": True}]

    @pytest.mark.parametrize("share", ["70%", "70 %", "70,0\u00a0%", "0,7"])
    def test_a_number_of_0_to_1_may_be_per_cent(self, tmp_path: Path, share: str) -> None:
        manifest = read_manifest(written(tmp_path / "m.csv", f"path;energy\na.ogg;{share}\n"))
        assert [row.fields for row in manifest.rows] == [{"energy": 0.7}]

    @pytest.mark.parametrize(("name", "cell"), [("bpm", "70%"), ("energy", "170%"), ("energy", "%"), ("energy", "7%%")])
    def test_no_other_number_is_per_cent(self, tmp_path: Path, name: str, cell: str) -> None:
        (fault,) = read_manifest(written(tmp_path / "m.csv", f"path;{name}\na.ogg;{cell}\n")).faults
        assert f"{name} must be " in fault.message


class TestPathsOfOtherMachines:
    @pytest.mark.parametrize(
        ("name", "wanted"),
        [
            (r"sub\a.ogg", "sub/a.ogg"),
            (r".\sub\a.ogg", "sub/a.ogg"),
            (r'"sub\a.ogg"', "sub/a.ogg"),
            ("Caf\u00e9.ogg", "Cafe\u0301.ogg"),
            ("\u00e9t\u00e9\\b.ogg", "e\u0301te\u0301/b.ogg"),
            ("~/sub/a.ogg", "sub/a.ogg"),
            ("file://{folder}/a%20b.ogg", "a b.ogg"),
            ("FILE://localhost{folder}/a%20b.ogg", "a b.ogg"),
            ("file:{folder}/Caf%C3%A9.ogg", "Cafe\u0301.ogg"),
        ],
    )
    def test_the_file_is_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, wanted: str) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        for there in ("sub/a.ogg", "Cafe\u0301.ogg", "e\u0301te\u0301/b.ogg", "a b.ogg"):
            (tmp_path / there).parent.mkdir(exist_ok=True)
            (tmp_path / there).touch()
        row = json.dumps({"path": name.replace("{folder}", str(tmp_path))})
        (found,) = read_manifest(written(tmp_path / "m.jsonl", row)).rows
        assert found.path.samefile(tmp_path / wanted)

    def test_a_name_that_is_there_as_written_is_meant(self, tmp_path: Path) -> None:
        for there in (r"sub\a.ogg", "Caf\u00e9.ogg", "Cafe\u0301.ogg", "~.ogg"):
            (tmp_path / there).touch()
            (row,) = read_manifest(written(tmp_path / "m.csv", f"path\n{there}\n")).rows
            assert row.path == tmp_path / there


class TestJsonLines:
    def test_types_lists_and_nulls(self, tmp_path: Path) -> None:
        row = {"path": "a.ogg", "track_id": "t", "bpm": 120, "tags": ["a", "b"], "explicit": False, "title": None}
        manifest = read_manifest(written(tmp_path / "m.jsonl", json.dumps(row) + "\n\n"))
        assert manifest.rows[0].fields == {"bpm": 120.0, "tags": ("a", "b"), "explicit": False}
        assert manifest.faults == ()

    @pytest.mark.parametrize(
        ("line", "part"),
        [
            ("{", "not JSON"),
            ("[1]", "not a JSON object"),
            ('{"path": 3}', "no path"),
            ('{"path": "a", "bpm": "120"}', "bpm must be a number"),
            ('{"path": "a", "bpm": NaN}', "NaN"),
            ('{"path": "a", "tags": "a;b"}', "tags must be a list"),
            ('{"path": "a", "instrumental": "yes"}', "instrumental must be true or false"),
            ('{"path": "a", "track_id": 7}', "track_id must be text"),
            ('{"path": "a", "track_id": "' + "x" * 129 + '"}', "track_id must be text"),
            ('{"path": "a\\u0000b"}', "NUL"),
            ("[" * 100_000, "not JSON"),
        ],
    )
    def test_bad_rows_are_named_and_skipped(self, tmp_path: Path, line: str, part: str) -> None:
        manifest = read_manifest(
            written(tmp_path / "m.jsonl", f'{{"path": "ok.ogg"}}\n{line}\n{{"path": "ok2.ogg"}}\n')
        )
        assert [row.line for row in manifest.rows] == [1, 3]
        (fault,) = manifest.faults
        assert fault.line == 2
        assert part in fault.message

    def test_a_line_separator_inside_a_text_ends_no_row(self, tmp_path: Path) -> None:
        manifest = read_manifest(written(tmp_path / "m.jsonl", '{"path": "a.ogg", "title": "x\u2028y"}\n'))
        assert manifest.rows[0].fields["title"] == "x\u2028y"


def test_manifests_are_known_by_their_suffix(tmp_path: Path) -> None:
    assert is_manifest(Path("a.CSV"))
    assert is_manifest(Path("a.jsonl"))
    assert not is_manifest(Path("a.ogg"))
    with pytest.raises(ManifestError, match=r"\.csv or \.jsonl"):
        read_manifest(tmp_path / "a.ogg")
    with pytest.raises(ManifestError, match="no such manifest"):
        read_manifest(tmp_path / "a.csv")
