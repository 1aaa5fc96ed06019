"""`continuity user` as an admin runs it, and the link by which the first one comes in."""

import json
import re
import signal

import httpx
import pytest

from ledger_service.cli import edge
from tests.e2e.test_commands import serving

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


@pytest.fixture
def command(settings, places, monkeypatch, capsys):
    """Run `continuity` in this process, on the servers that run already."""
    monkeypatch.setenv("CONTINUITY_HOME", str(settings.home))

    def run(*arguments):
        code = edge.run(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_somebody_is_let_in_given_worlds_and_let_out(command):
    code, out, _ = command("user", "add", "Robin", "--role", "writer", "--world", "maelin", "--generate", "--json")
    made = json.loads(out)
    assert (code, made["name"], made["role"], made["worlds"]) == (0, "robin", "writer", ["maelin"])
    assert len(made["password"]) >= 12
    assert json.loads(command("user", "grant", "robin", "village", "--json")[1])["worlds"] == ["maelin", "village"]
    assert "robin sees village" in command("user", "revoke", "robin", "maelin")[1]
    assert json.loads(command("user", "disable", "robin", "--json")[1])["disabled"] is True
    assert "can sign in again" in command("user", "disable", "robin", "--undo")[1]
    again = json.loads(command("user", "passwd", "robin", "--generate", "--json")[1])
    assert again["password"] != made["password"]
    (listed,) = [one for one in json.loads(command("user", "list", "--json")[1]) if one["name"] == "robin"]
    assert listed == {"name": "robin", "role": "writer", "worlds": ["village"], "disabled": False}
    assert re.search(r"robin.*writer.*village.*yes", command("user", "list")[1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "rob in", "--role", "writer", "--generate"), "begins with a letter"),
        (("add", "rob", "--role", "writer", "--world", "a,b", "--generate"), "no plain id of a world"),
        (("add", "rob", "--role", "writer"), "nobody is there to ask"),
        (("passwd", "nobody-at-all", "--generate"), "no account named"),
        (("grant", "nobody-at-all", "maelin"), "no account named"),
        (("add", "rob", "--role", "writer", "--generate", "--password-stdin"), "not both"),
    ],
    ids=["name", "world", "no terminal", "passwd of nobody", "grant to nobody", "two passwords"],
)
def test_what_cannot_be_is_said_in_a_line(command, arguments, said):
    code, out, err = command("user", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_serve_prints_the_link_of_the_first_admin_while_nobody_has_an_account(tmp_path):
    with serving(tmp_path, "--port", "0", "--json") as server:
        where = json.loads(server.stdout.readline())
        page = httpx.get(where["first_run"])
        assert (page.status_code, "Nobody has an account yet" in page.text) == (200, True)
        assert httpx.get(where["console"], follow_redirects=True).url.path == "/sign-in"
        made = httpx.post(where["first_run"], data={"name": "ada", "password": "a dull but long password"})
        assert made.status_code == 303
        assert httpx.get(where["first_run"]).status_code == 404
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0
    with serving(tmp_path, "--port", "0", "--json") as server:
        assert "first_run" not in json.loads(server.stdout.readline())
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0
