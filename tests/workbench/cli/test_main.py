"""The command as a shell sees it: exit codes, streams, and what it imports."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.cli.main import all_commands

from .conftest import Cli

ROOT = Path(__file__).parents[3]
WORKBENCH = [sys.executable, "-m", "workbench"]
HEAVY = ("numpy", "scipy", "librosa", "numba", "av", "matplotlib", "xarray", "zarr", "sqlalchemy", "sanic", "rich")


def shell(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*WORKBENCH, *arguments], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def called(workbench: Cli, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """As `shell`, in this process."""

    def call(*arguments: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        return subprocess.CompletedProcess(arguments, *workbench(*arguments))

    return call


def test_the_overview_names_every_command() -> None:
    done = shell("--help")
    assert done.returncode == 0
    assert all(re.search(rf"^  {name}\b", done.stdout, flags=re.M) for name in all_commands())


def test_commands_that_other_packages_add_are_commands(tmp_path: Path) -> None:
    """Of an installed package: its folder with metadata, and the modules beside it."""
    metadata = tmp_path / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[workbench.commands]\ntheirs = theirs:COMMANDS\n")
    table = '{"greet": SubCommand("theirs_greet", "Say hello."), "loop": SubCommand("theirs_greet", "Not ours.")}'
    (tmp_path / "theirs.py").write_text(f"from workbench.cli.main import SubCommand\nCOMMANDS = {table}\n")
    (tmp_path / "theirs_greet.py").write_text("import click\n@click.command()\ndef command(): click.echo('hello')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    overview = shell("--help", env=environment).stdout
    assert re.search(r"^  greet +Say hello\.$", overview, re.M)
    assert "Not ours." not in overview
    assert shell("greet", env=environment).stdout == "hello\n"
    (tmp_path / "theirs.py").write_text("1 / 0")
    assert shell("cache", "--home", str(tmp_path), env=environment).returncode == 0
    broken = shell("--help", env=environment)
    assert broken.returncode == 0
    (line,) = broken.stderr.splitlines()
    assert "theirs" in line


def test_commands_of_the_library_run_where_there_is_no_service(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['service'] = None; from workbench.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    for words in (["cache", "--home", str(tmp_path)], ["loop", "--help"]):
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "3"}])
def test_linear_algebra_has_one_thread_unless_the_user_says_otherwise(given: dict[str, str]) -> None:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    program = (
        "import atexit, os, sys\nfrom workbench.cli.main import main\nsys.argv[1:] = ['--version']\n"
        f"atexit.register(lambda: print(*(os.environ[name] for name in {names!r})))\nmain()"
    )
    environment = {name: value for name, value in os.environ.items() if name not in names} | given
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("workbench, version ")
    assert done.stdout.splitlines()[-1].split() == [given.get(name, "1") for name in names]


LIBRARY = [entry.module for entry in all_commands().values() if entry.module.startswith("workbench.")]


@pytest.mark.parametrize(
    ("done", "names"),
    [
        ("from workbench.cli.main import run\nrun(['--help'])", HEAVY),
        ("\n".join(f"import {module}" for module in LIBRARY), (*HEAVY, "pydantic", "workbench.params")),
    ],
    ids=("overview", "modules of the library's commands"),
)
def test_what_says_what_there_is_loads_nothing_heavy(done: str, names: tuple[str, ...]) -> None:
    program = f"import sys\n{done}\nprint([name for name in {names!r} if name in sys.modules], file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr.strip() == "[]"


@pytest.mark.parametrize("name", list(all_commands()))
def test_every_command_has_help_with_an_example_and_imports_nothing_heavy(name: str) -> None:
    import click

    command = __import__(all_commands()[name].module, fromlist=["command"]).command
    commands = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    for one in commands:
        assert "Example:" in (one.help or "")
    if name not in ("completion", "docs", "params"):  # these keep no state
        leaves = [one for one in commands if not isinstance(one, click.Group)]
        assert all(any("--home" in parameter.opts for parameter in one.params) for one in leaves)


@pytest.mark.parametrize("arguments", [("lop",), ("beats",)])
def test_wrong_usage_exits_with_2(called: Shell, arguments: tuple[str, ...]) -> None:
    done = called(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert arguments != ("lop",) or "Did you mean loop?" in done.stderr


@pytest.mark.parametrize(
    ("given", "meant"), [("--secnds", "--seconds"), ("--minvariety=5", "--min-variety"), ("--vidoe", "--video")]
)
def test_an_option_that_is_nearly_right_gets_its_nearest(called: Shell, given: str, meant: str) -> None:
    done = called("loop", "track.wav", given, "90")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"workbench: no such option: {given.split('=')[0]}. Did you mean {meant}?\n"


def test_the_home_folder_stands_after_the_command(called: Shell) -> None:
    done = called("--home", "here", "beats", "track.wav")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "workbench: --home stands after the command: workbench COMMAND --home DIR\n"


def test_a_file_whose_name_begins_with_a_dash_is_explained(called: Shell, tmp_path: Path) -> None:
    (tmp_path / "-old.wav").touch()  # which is also `-o ld.wav`
    for name in ("-song.wav", "--song.wav", "-old.wav"):
        done = called("loop", name, "--seconds", "90", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        said = f"{name} is read as an option; a file whose name begins with - is ./{name}, or stands after --"
        assert done.stderr == f"workbench: {said}\n"
    for words in (("./-old.wav", "--seconds", "90"), ("--seconds", "90", "--", "-old.wav")):
        done = called("loop", "--home", str(tmp_path), *words, cwd=tmp_path)
        assert done.returncode == 1
        assert "read as an option" not in done.stderr


def test_settings_are_json_lines_with_their_meaning(called: Shell, tmp_path: Path) -> None:
    done = called("settings", env={"WORKBENCH_HOME": str(tmp_path)})
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {row["setting"]: row["value"] for row in rows}["WORKBENCH_HOME"] == str(tmp_path)
    assert all(row["meaning"] for row in rows)


def test_parameters_are_json_lines_with_unit_and_range(called: Shell) -> None:
    done = called("params", "cover.min_seam_score")
    assert (done.returncode, done.stderr) == (0, "")
    row = json.loads(done.stdout)
    assert (row["parameter"], row["unit"], row["range"], row["default"]) == (
        "cover.min_seam_score", "1", "0 to 1", 0.5,
    )  # fmt: skip
    misspelt = called("params", "min_seam_scor")
    assert (misspelt.returncode, misspelt.stdout) == (1, "")
    assert misspelt.stderr == "workbench: there is no parameter min_seam_scor; did you mean min_seam_score?\n"


def test_a_bad_setting_is_one_clear_line(called: Shell) -> None:
    done = called("settings", env={"WORKBENCH_LOG_LEVEL": "loud"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "WORKBENCH_LOG_LEVEL" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("WORKBENCH_HOEM", "WORKBENCH_HOME"),
        ("workbench_datbase_url", "WORKBENCH_DATABASE_URL"),
    ],
)
def test_a_misspelt_setting_is_said_in_one_line_with_the_nearest_one(
    called: Shell, tmp_path: Path, variable: str, meant: str
) -> None:
    done = called("settings", "--home", str(tmp_path), env={variable: "1"})
    (line,) = done.stderr.splitlines()
    assert (done.returncode, f"{variable.upper()} (did you mean {meant}?)" in line) == (0, True), line


def test_settings_variables_of_options_and_other_names_are_no_mistakes(called: Shell, tmp_path: Path) -> None:
    given = dict.fromkeys(("WORKBENCH_DASHBOARD_KEY", "workbench_metrics_public", "MY_WORKBENCH_HOEM"), "1")
    assert called("settings", "--home", str(tmp_path), env=given).stderr == ""
    assert called("settings", "--help", env={"WORKBENCH_HOEM": "x"}).stderr == ""


def test_variables_that_others_set_are_no_mistakes(called: Shell, tmp_path: Path) -> None:
    theirs = ("WORKBENCH_SERVICE_HOST", "WORKBENCH_SERVICE_PORT", "WORKBENCH_PORT", "WORKBENCH_PORT_8000_TCP_ADDR")
    done = called("settings", "--home", str(tmp_path), env=dict.fromkeys(theirs, "1"))
    assert done.stderr == ""


def test_every_variable_that_an_option_is_read_from_is_known(called: Shell, tmp_path: Path) -> None:
    import click

    commands = [__import__(entry.module, fromlist=["command"]).command for entry in all_commands().values()]
    commands += [one for group in commands if isinstance(group, click.Group) for one in group.commands.values()]
    read = {str(option.envvar): "1" for one in commands for option in one.params if option.envvar is not None}
    assert read
    done = called("settings", "--home", str(tmp_path), env=read)
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_error_message(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = subprocess.run(
            [*WORKBENCH, "settings", "--home", str(tmp_path)],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == ""


def redirected(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with its streams as a shell sets them."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", *WORKBENCH, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">&-", "workbench: standard output is closed, so there is no place for the result\n"),
        ("> /dev/full", "workbench: No space left on device\n"),
        (">&- 2>&-", ""),
    ],
)
def test_a_result_that_has_no_place_is_one_line(tmp_path: Path, redirection: str, message: str) -> None:
    done = redirected(redirection, "settings", "--home", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", message)


@pytest.mark.parametrize("redirection", ["2> /dev/full", "2>&- <&-"])
def test_the_result_comes_whatever_becomes_of_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redirection: str
) -> None:
    """The misspelt variable is a message."""
    done = redirected("", "settings", "--home", str(tmp_path))
    monkeypatch.setenv("WORKBENCH_HOOME", "1")
    under = redirected(redirection, "settings", "--home", str(tmp_path))
    assert (under.returncode, under.stdout) == (0, done.stdout)


def test_a_plan_from_a_closed_standard_input_is_one_line(tmp_path: Path) -> None:
    done = redirected("<&-", "export", "-", "--format", "csv", "-o", str(tmp_path / "a.csv"), "--home", str(tmp_path))
    assert done.returncode == 1
    assert re.fullmatch(r"workbench: standard input: not a plan.*\n", done.stderr)


def test_a_name_that_is_not_utf8_is_printed_as_json_or_refused_in_a_line(tmp_path: Path) -> None:
    home = tmp_path / "caf\udce9"
    done = shell("cache", "--home", str(home), env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert json.loads(done.stdout)["folder"].startswith(str(home))
    done = shell("beats", "caf\udce9.ogg", "--home", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "workbench: caf\\udce9.ogg: not text in UTF-8, which is needed here; rename the file\n"


def test_what_the_locale_cannot_write_is_one_line() -> None:
    program = "import sys; from workbench.cli.main import run; sys.exit(run(['cache', '--home', '\\xfcber']))"
    ascii_only = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env={**os.environ, **ascii_only}
    )
    assert done.returncode == 1
    assert done.stderr == "workbench: '\\xfc' cannot be written in ascii; use a locale of UTF-8\n"


def test_completion_completes() -> None:
    words = {"_WORKBENCH_COMPLETE": "bash_complete", "COMP_WORDS": "workbench be", "COMP_CWORD": "1"}
    program = "from workbench.cli.main import app; app.main(prog_name='workbench')"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **words}, capture_output=True, text=True, check=False
    )
    assert "beats" in done.stdout


@pytest.mark.usefixtures("sigint")
def test_ctrl_c_ends_with_130_and_one_line(tmp_path: Path) -> None:
    plan, track = tmp_path / "plan.json", tmp_path / "x.wav"
    os.mkfifo(plan)
    track.touch()
    command = ["render", str(plan), "--track", str(track), "-o", str(tmp_path / "y.wav"), "--home", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = _open_once_it_is_read(plan, process)
    # While the command waits for its plan, which never comes. A signal between its check for signals and its read is
    # noticed only when the read ends, so it is sent again.
    for _ in range(24):
        process.send_signal(signal.SIGINT)
        try:
            stdout, stderr = process.communicate(timeout=10)
            break
        except subprocess.TimeoutExpired:
            continue
    else:
        process.kill()
        raise AssertionError(process.communicate())
    os.close(end)
    assert process.returncode in (130, -signal.SIGINT)
    assert stdout == ""
    assert "Traceback" not in stderr


def _open_once_it_is_read(pipe: Path, process: subprocess.Popen[str]) -> int:
    """Open a named pipe for writing as soon as the process reads from it."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:  # no reader yet
                raise
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
