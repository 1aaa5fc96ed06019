"""`continuity report`: HTML without outside assets, Markdown, JSON, PDF, and what it says without a browser."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ledger_service.cli import printing
from ledger_service.domain.errors import SettingError

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]


EVENTS = (
    {"kind": "time_passed", "hours": 10},
    {"kind": "deed", "actor": "player", "statement": "the player *forced* the fuse", "place": "battery_room"},
    {"kind": "commitment_made", "owner": "player", "to": "maelin", "statement": "the player will tell", "name": "tell"},
    {"kind": "commitment_broken", "commitment": "tell", "reason": "nobody was told"},
)


@pytest.fixture
def story(here) -> str:
    """A story of the station in which a promise is made and broken."""
    assert here("world", "load", Path("probes/maelin/world.yaml"))[0] == 0
    played = here("playthrough", "open", "maelin", "--title", "on file")[1].strip()
    code, _, err = here("event", "post", played, "-", stdin=json.dumps(EVENTS))
    assert code == 0, err
    return played


def test_html_is_one_page_that_asks_nothing_of_anybody(here, story):
    code, out, _ = here("report", "digest", story, "--since", "1")
    assert code == 0
    assert "the player will tell" in out
    assert re.findall(r"<script|<link|<img|https?://|url\(", out) == []
    assert "default-src &#39;none&#39;" in out or "default-src 'none'" in out
    assert 'id="broken"' in out


def test_markdown_has_a_heading_for_each_part_and_shows_texts_as_they_are(here, story):
    code, out, _ = here("report", "digest", story, "--since", "1", "--md")
    assert code == 0
    assert out.startswith("# on file\n")
    assert "## Broken: 1" in out
    assert "event 4: nobody was told" in out
    assert "forced\\*" in out


def test_json_says_the_same_for_programs_and_a_file_is_written_where_one_is_named(here, story, tmp_path):
    found = json.loads(here("report", "digest", story, "--since", "1", "--json")[1])
    counts = {part["id"]: part["count"] for part in found["sections"]}
    assert (found["since"], found["until"], counts["broken"], counts["failures"]) == (1, 4, 1, 0)
    target = tmp_path / "night.md"
    assert here("report", "digest", story, "--md", "-o", target)[0] == 0
    assert "# on file" in target.read_text(encoding="utf-8")


def test_pdf_is_printed_by_the_browser_that_is_installed(here, story, tmp_path):
    assert any(map(shutil.which, printing.BROWSERS)), "there is no Chromium: `apt-get install chromium`"
    target = tmp_path / "night.pdf"
    code, _, err = here("report", "digest", story, "--pdf", "-o", target)
    assert (code, err) == (0, "")
    assert target.read_bytes().startswith(b"%PDF-")
    assert [left.name for left in tmp_path.iterdir()] == ["night.pdf"]


def test_without_a_browser_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingError, match="no browser") as error:
        printing.print_to_pdf("<p>hm</p>", tmp_path / "x.pdf")
    assert "--html" in error.value.cure
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_does_not_print_is_named_with_its_last_word(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho it is broken >&2\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SettingError, match="it is broken"):
        printing.print_to_pdf("<p>hm</p>", tmp_path / "x.pdf")


def test_an_event_outside_the_history_is_refused_by_name(here, story):
    code, _, err = here("report", "digest", story, "--since", "99")
    assert code == 2
    assert "99 is outside the history, which ends at 4" in err


def test_a_packet_is_a_report_too_as_a_page_and_as_markdown(here, story, tmp_path):
    asked = here("packet", story, "--speaker", "maelin", "--line", "Will you <b>tell</b> me?", "--json")[1]
    packet = json.loads(asked)["packet_id"]
    code, out, err = here("report", "packet", packet)
    assert (code, err) == (0, "")
    assert re.findall(r"<script|<link|<img|<b>tell|https?://|url\(", out) == []
    assert "Will you &lt;b&gt;tell&lt;/b&gt; me?" in out
    assert "No line has been said on this packet yet." in out
    assert here("reply", story, packet, "I never forced any fuse.")[0] in {0, 1}
    target = tmp_path / "why.md"
    assert here("report", "packet", packet, "--md", "-o", target)[0] == 0
    shown = target.read_text(encoding="utf-8")
    assert "## May draw on:" in shown
    assert "> I never forced any fuse." in shown
    assert "Will you \\<b\\>tell" in shown
    assert "response validity: **" in shown


def test_a_packet_that_is_not_there_is_said_by_name(here):
    code, _, err = here("report", "packet", "k0")
    assert code == 2
    assert "k0" in err


@pytest.fixture(scope="module")
def run(settings, places, tmp_path_factory) -> str:
    """A run of a few cells, all of which a faulty speaker fails."""
    command = [sys.executable, "-m", "ledger_service", "probe", "run", "maelin", "--subject", "faulty", "--json"]
    only = ["--only", "next_turn/plain", "--only", "next_turn/false_completion"]
    environment = {**os.environ, "CONTINUITY_HOME": str(settings.home)}
    done = subprocess.run(
        [*command, *only],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path_factory.mktemp("c"),
    )
    return json.loads(done.stdout.splitlines()[-1])["run"]


def test_a_run_is_one_page_with_its_heat_maps_and_failures_and_asks_nothing_of_anybody(here, run):
    code, out, err = here("report", "run", run)
    assert (code, err) == (0, "")
    assert re.findall(r"<script|<link|<img|<form|<a |https?://|url\(", out) == []
    assert "gate missed" in out
    assert "Distance × pressure: whole card" in out
    assert "Distance × pressure: response" in out
    assert "What the packet was to hold" in out
    assert f"continuity probe replay {run} next_turn/false_completion/" in out


def test_a_run_is_markdown_json_and_pdf_too(here, run, tmp_path):
    code, shown, err = here("report", "run", run, "--md", "--gate", "0")
    assert (code, err) == (0, "")
    assert shown.startswith("# maelin × faulty")
    assert "all |\n| --- |" in shown, "no table"
    assert "**gate met** (exit code 0)" in shown
    assert re.search(r"\| next turn \| . \d+ of \d+ \(\d\.\d\d–\d\.\d\d\) \|", shown)
    found = json.loads(here("report", "run", run, "--json")[1])
    assert (found["run"]["run_id"], found["verdict"]["code"]) == (run, 1)
    assert found["maps"][0]["axis"] == "overall"
    target = tmp_path / "run.pdf"
    assert here("report", "run", run, "--pdf", "-o", target)[0] == 0
    assert target.read_bytes().startswith(b"%PDF-")


def test_a_run_that_is_not_there_is_said_by_name(here):
    code, _, err = here("report", "run", "r0")
    assert code == 2
    assert "r0" in err
