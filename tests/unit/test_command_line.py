"""The command line as a whole: what every command has, and what reaches a person when something goes wrong."""

import io
import signal
import subprocess
import sys

import click
import pytest
from rich.cells import cell_len
from rich.console import Console

from ledger_service import __main__ as entry
from ledger_service.cli import edge
from ledger_service.cli.listing import Listing
from ledger_service.cli.main import main
from ledger_service.cli.run import _Console, printable, write_whole
from ledger_service.domain.errors import MalformedError

STATEMENT = "player admitted damaging the relay before anyone at the station had asked about it"


def leaves(command=main, path=("continuity",)):
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves(inner, (*path, name))
    else:
        yield pytest.param(command, path, id=" ".join(path[1:]))


LEAVES = list(leaves())


@pytest.mark.parametrize(("command", "path"), LEAVES)
def test_every_command_prints_json_where_it_is_asked_to(command, path):
    assert any("--json" in p.opts for p in command.params)


@pytest.mark.parametrize(("command", "path"), LEAVES)
def test_every_command_shows_an_example_of_itself_on_a_line_of_its_own(command, path):
    context = click.Context(command, info_name=" ".join(path), terminal_width=80)
    shown = command.get_help(context)
    assert "\\b" not in shown
    assert "\b" not in shown
    asked = " ".join(path).removesuffix(" say")  # what a reply is given without
    assert any(asked in line for line in shown[shown.index("Example") :].splitlines())


@pytest.mark.parametrize(("command", "path"), LEAVES)
def test_every_option_says_what_it_is_for(command, path):
    assert [p.opts for p in command.params if isinstance(p, click.Option) and not p.help] == []


def test_the_list_of_commands_keeps_its_examples_and_begins_with_the_demo():
    shown = main.get_help(click.Context(main, info_name="continuity", terminal_width=80))
    assert "\n    continuity world load probes/maelin/world.yaml\n" in shown
    assert shown.index(" demo ") < shown.index(" doctor ")


def drawn(listing, width):
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(listing)
    return out.getvalue()


ROW = ("1", STATEMENT, "confirmed", "witnessed by nobody else", "day 3, in the evening", "superseded, retold, disputed")
COLUMNS = ("#", "statement", "how sure", "how known", "when", "notes")


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 140, 200])
def test_rows_are_readable_at_any_width(width):
    shown = drawn(Listing("May draw on", COLUMNS, [ROW] * 20), width)
    lines = shown.splitlines()
    assert max(cell_len(line) for line in lines) <= width
    assert len(lines) <= 20 * (3 + 300 // width)
    for cell in ROW:
        for word in cell.split():
            assert word in shown


def test_a_wide_terminal_has_a_table_and_a_narrow_one_a_block_for_each_row():
    assert "┃" in drawn(Listing("x", COLUMNS, [ROW]), 160)
    assert drawn(Listing("x", COLUMNS, [ROW]), 80).splitlines()[1].strip() == f"1 {STATEMENT}"[:80].rsplit(" ", 1)[0]


def test_a_column_in_which_nothing_stands_is_left_out():
    assert "notes" not in drawn(Listing("x", COLUMNS, [(*ROW[:-1], "")]), 200)


def test_an_empty_list_still_has_its_head():
    assert "statement" in drawn(Listing("x", COLUMNS, []), 80)


def test_what_would_move_the_cursor_is_shown_as_a_box():
    out = io.StringIO()
    _Console(file=out, width=80).print(printable("a\x1b[2Jb\u202ec [red]"))
    assert out.getvalue() == "a\ufffd[2Jb\ufffdc [red]\n"


@pytest.fixture
def broken(monkeypatch):
    """Let `continuity doctor` end in whatever is asked."""

    def with_error(error):
        def fails(*_):
            raise error

        monkeypatch.setattr("ledger_service.cli.service.examine", fails)
        return edge.run(["doctor"])

    return with_error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (TypeError("no\nsuch thing"), 4, "TypeError: no such thing"),
        (RecursionError("deep"), 2, "nested too deeply"),
        (MemoryError(), 4, "memory"),
        (PermissionError(13, "Permission denied", "/etc/x"), 2, "/etc/x: Permission denied"),
        (MalformedError("it", "is so"), 2, "it: is so"),
        (BaseExceptionGroup("many", [TypeError("inside")]), 4, "TypeError: inside"),
    ],
)
def test_whatever_happens_a_person_reads_one_line_and_a_cure(broken, capsys, error, code, said):
    assert broken(error) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") <= 2
    assert "Traceback" not in shown.err + shown.out


def test_the_details_come_only_where_they_are_asked_for(broken, capsys, monkeypatch):
    monkeypatch.setenv("CONTINUITY_DEBUG", "1")
    assert broken(TypeError("odd")) == 4
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["packet", "p1", "--speaker", "maelin", "--line", "a\udcffb"],
        ["bench", "packet", "--sizes", "x"],
        ["bench", "packet", "--sizes", ""],
        ["bench", "packet", "--sizes", "-1"],
        ["bench", "packet", "--rounds", "0"],
        ["serve", "--port", "99999"],
        ["serve", "--port", "-1"],
        ["playthrough", "list", "--limit", "99999999999999999999"],
        ["playthrough", "list", "--limit", "-5"],
        ["packet", "p1", "--speaker", "maelin", "--at-seq", "-1"],
        ["key", "add", "", "--role", "game"],
        ["key", "add", "a\nb", "--role", "game"],
        ["event", "post", "p1", "/nowhere/events.json"],
        ["reply", "p1", "k1", "  "],
        ["nonsense"],
    ],
)
def test_arguments_that_mean_nothing_are_refused_before_anything_starts(arguments, capsys):
    assert edge.run(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONTINUITY_FALKORDB_URL", "redis://127.0.0.1:abc"),
        ("CONTINUITY_POSTGRES_URL", "postgresql://127.0.0.1:99999999/x"),
        ("CONTINUITY_POSTGRES_URL", "http://127.0.0.1"),
        ("CONTINUITY_HOST", "a\udcff"),
        ("CONTINUITY_PORT", "many"),
    ],
)
def test_a_setting_that_means_nothing_is_named(name, value, monkeypatch, capsys):
    monkeypatch.setenv(name, value)
    assert edge.run(["mirror", "status"]) == 2
    assert name in capsys.readouterr().err


@pytest.mark.parametrize("where", ["missing/x.json", "a-file/x.json", "x" * 300])
def test_a_file_that_cannot_be_written_is_a_named_problem(tmp_path, where):
    (tmp_path / "a-file").write_text("")
    with pytest.raises(MalformedError, match="cannot be written"):
        write_whole(tmp_path / where, b"x")


@pytest.mark.parametrize("stopped", [KeyboardInterrupt(), click.Abort()])
def test_stopped_by_a_person_it_says_so_in_one_line(stopped, monkeypatch, capsys):
    def fails(*_):
        raise stopped

    monkeypatch.setattr("ledger_service.cli.service.examine", fails)
    monkeypatch.setattr(sys, "argv", ["continuity", "doctor"])
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    signal.signal(signal.SIGINT, before)
    assert ended.value.code == 130
    assert capsys.readouterr().err.strip() == "stopped"


@pytest.mark.parametrize(
    ("loading", "code", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGINT)", 130, "stopped\n"),
        ("raise ImportError('libz is missing')", 4, "error: it cannot be loaded: ImportError: libz is missing\ntry: "),
    ],
)
def test_what_happens_while_it_is_still_being_loaded_is_one_line_too(loading, code, said):
    script = (
        "import sys, signal, os\n"
        "class Loading:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'ledger_service.cli': {loading}\n"
        "sys.meta_path.insert(0, Loading())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from ledger_service.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


def test_no_command_loads_the_terminal_toolkit_that_a_library_brings_for_its_own_command_line():
    loaded = """
import sys
import ledger_service.cli.main
from ledger_service.domain.conditions import check_condition
check_condition("tick >= 3 && present.exists(p, p == player)")
print(sorted({"prompt_toolkit", "typer", "cel.cli"} & set(sys.modules)))
import cel.cli
print(cel.cli.__file__ is not None)
"""
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=False)
    assert (done.stdout.split("\n"), done.stderr) == (["[]", "True", ""], "")
