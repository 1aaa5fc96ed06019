"""Probes in the browser: QA runs a matrix, opens the worst cell and replays it; heat maps, comparison, triage."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from ledger_service.bootstrap import load_story
from ledger_service.services.probes.begin_run import Wish, begin, plan_run
from ledger_service.web.console import probe_reports
from tests.e2e.console.conftest import PROBES

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
LONG = 60_000
FAILED = 33
"""So many of the 36 the deliberately faulty speaker fails; `make demo` says so too."""


def begun(site, app, *, subject="faulty", who="quinn", only=()):
    """A run of the demo's matrix that was begun, and nobody asks yet."""
    story = load_story("maelin", matrix="demo.yaml")
    run, cells = plan_run(story.world, story.history, story.matrix, Wish(who=who, subject=subject, only=only))
    site.run(begin, run, cells, story.world, runs=app.stores.probe_runs, open_uow=app.open_uow)
    return run


@pytest.fixture(scope="module")
def asked(site, service):
    """A run of the faulty speaker and one of the template, asked to the end by the service's own worker."""
    app = service.application
    runs = [begun(site, app, subject=subject) for subject in ("faulty", "template")]
    app_wake(service)
    for run in runs:
        until_over(site, app, run.run_id)
    return runs


def app_wake(service):
    service.portal.call(service.application.worker.wake)


def until_over(site, app, run_id):
    for _ in range(1_200):
        if not site.run(app.stores.probe_runs.progress, run_id).counts["pending"]:
            return
        time.sleep(0.1)
    pytest.fail("the service's own worker did not finish the run")


def test_runs_are_listed_with_who_began_them(sign_in, asked, looked_at):
    page = sign_in("quinn")
    page.goto("/probes?subject=template")
    row = page.locator("#runs tbody tr").first
    expect(row).to_contain_text("maelin")
    expect(row).to_contain_text("quinn")
    expect(row).to_contain_text("36")
    page.goto("/probes")
    looked_at(page, "probes")


def test_two_runs_are_compared_and_one_is_accepted_for_a_reason(sign_in, asked, looked_at, tmp_path, monkeypatch):
    monkeypatch.setattr(probe_reports, "baseline_file", lambda *_: tmp_path / "maelin.template.json")
    faulty, template = asked
    page = sign_in("quinn")
    page.goto(f"/probes/{template.run_id}/compare?against={faulty.run_id}")
    expect(page.locator("#changed")).to_contain_text("better")
    expect(page.locator("#fixed")).to_contain_text("next_turn/false_completion/0")
    expect(page.locator("#broken")).to_contain_text("Nothing that passed fails now.")
    expect(page.locator("#flaky")).to_contain_text("No cell came out both ways within a run.")
    looked_at(page, "probes-compare")
    page.goto(f"/probes/{template.run_id}/compare")
    expect(page.get_by_role("heading", name="No baseline yet")).to_be_visible()
    page.goto(f"/probes/{template.run_id}")
    page.get_by_label("Why this run is what later ones are held against").fill("the first that holds")
    page.get_by_role("button", name="Accept it as the baseline").click()
    expect(page.get_by_role("status").first).to_contain_text("It is the baseline of maelin × template now.")
    page.goto(f"/probes/{template.run_id}/compare")
    expect(page.locator("#changed")).to_contain_text("No cell came out otherwise.")
    page.goto("/audit?action=baseline+accepted")
    expect(page.locator("tbody tr").first).to_contain_text("the first that holds")


def test_every_report_can_be_taken_home(sign_in, asked):
    page = sign_in("quinn")
    run = asked[0].run_id
    begins = {
        "junit.xml": b"<?xml", "run.json": b"{", "tries.ndjson": b'{"', "tries.csv": b"run,", "summary.md": b"###",
        "html.zip": b"PK", "report.html": b"<!doctype html>",
    }  # fmt: skip
    for name, first in begins.items():
        answer = page.request.get(f"/probes/{run}/reports/{name}")
        assert answer.status == 200, name
        assert answer.body().startswith(first), name
        assert run in answer.headers["content-disposition"]
    assert page.request.get(f"/probes/{run}/reports/passwd").status == 422


def test_failures_are_grouped_assigned_and_marked_and_the_log_says_by_whom(sign_in, asked, looked_at, complaints):
    page = sign_in("eno")
    page.goto(f"/triage?run={asked[0].run_id}")
    group = page.locator("#g1")
    expect(group).to_contain_text("generation")
    expect(group).to_contain_text("What the packet was to hold")
    counts = [int(n) for n in page.locator(".pb-count").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == FAILED
    group.get_by_label("Whose it is").select_option("quinn")
    group.get_by_role("button", name="Assign").click()
    expect(page.locator("#g1")).to_contain_text("☞quinn")
    page.locator("#g1").get_by_label("What it is").select_option("wontfix")
    page.locator("#g1").get_by_role("button", name="Mark").click()
    expect(page.locator("main")).to_contain_text("says why")
    complaints.forgive("status of 422")
    page.go_back()
    page.locator("#g1").get_by_label("What it is").select_option("wontfix")
    page.locator("#g1").get_by_label("Why", exact=True).fill("it is broken on purpose")
    page.locator("#g1").get_by_role("button", name="Mark").click()
    expect(page.locator("#g1")).to_contain_text("it is broken on purpose")
    expect(page.locator("#trend svg a")).not_to_have_count(0)
    looked_at(page, "triage")
    page.goto("/audit?action=failures+marked")
    expect(page.locator("tbody tr").first).to_contain_text("eno")
    page.goto(f"/triage?run={asked[0].run_id}")
    page.locator("#g1").get_by_role("button", name="Replay").click(timeout=LONG)
    expect(page.get_by_role("heading", name=re.compile("Once more"))).to_be_visible(timeout=LONG)
    page.goto(f"/triage?run={asked[1].run_id}")
    expect(page.get_by_role("heading", name="Nothing fails")).to_be_visible()


def test_a_run_is_paused_goes_on_and_is_ended(sign_in, site, service):
    run = begun(site, service.application, subject="template")
    page = sign_in("quinn")
    page.goto(f"/probes/{run.run_id}")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#progress")).to_contain_text("paused")
    expect(page.locator("#verdict")).to_contain_text("not finished")
    page.once("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#progress")).to_contain_text("cancelled")
    page.goto(f"/audit?subject={run.run_id}")
    expect(page.locator("tbody")).to_contain_text("run of probes: pause")
    expect(page.locator("tbody")).to_contain_text("run of probes: cancel")


def test_a_budget_pauses_a_run(sign_in, site, service):
    page = sign_in("quinn")
    page.goto("/probes")
    page.get_by_label("Matrix", exact=True).select_option("maelin/demo.yaml")
    page.get_by_label("Tries").fill("3")
    page.get_by_role("button", name="Begin the run").click()
    expect(page.locator("#progress")).to_contain_text("paused", timeout=LONG)
    expect(page.locator("#progress")).to_contain_text("3 pass")


def test_who_only_writes_reads_without_a_script_and_begins_nothing(no_script, asked):
    page = no_script("wren")
    page.goto("/probes")
    expect(page.get_by_role("button", name="Begin the run")).to_have_count(0)
    page.locator("#runs tbody th a").first.click()
    expect(page.locator("#heat")).to_contain_text("next turn")
    page.goto(f"/probes/{asked[0].run_id}?axis=response_validity")
    expect(page.locator("#heat")).to_contain_text("the verdict on response")
    page.get_by_role("link", name=re.compile("^two scenes, plain:")).click()
    page.locator("#cells tbody th a").first.click()
    expect(page.locator("#evidence")).to_contain_text("What was said")
    expect(page.get_by_role("button", name="Replay it")).to_have_count(0)
    page.goto(f"/triage?run={asked[0].run_id}")
    expect(page.locator("#g1")).to_contain_text("generation")


def test_a_run_of_a_world_that_was_not_given_is_not_there(sign_in, asked, complaints):
    page = sign_in("wilma")
    run = asked[0].run_id
    page.goto("/probes")
    expect(page.locator("main")).not_to_contain_text(run)
    for path in ("", "/cells", "/cells/0", "/compare", "/reports/run.json", "/live"):
        assert page.request.get(f"/probes/{run}{path}").status == 404, path
    assert page.request.get(f"/triage?run={run}").status == 404


def test_a_matrix_of_ones_own_with_hostile_words_is_inert(sign_in, asked, complaints):
    evil = "<img src=x onerror=\"document.title='stolen'\"><script>document.title='stolen'</script>"
    matrix = (PROBES / "maelin" / "demo.yaml").read_text()
    matrix = matrix.replace("means: asked right away", f"means: {json.dumps(evil)}", 1)
    matrix = matrix.replace("anchor: Let me use the restricted transmitter.", f"anchor: {json.dumps(evil)}", 1)
    page = sign_in("quinn")
    page.goto("/probes")
    page.get_by_label("Or a matrix of your own").set_input_files(
        {"name": "<b>own.yaml", "mimeType": "text/yaml", "buffer": matrix.encode()}
    )
    page.get_by_label("Matrix", exact=True).select_option("maelin/demo.yaml")
    page.get_by_label("Only these").fill("next_turn/plain")
    page.get_by_role("button", name="Begin the run").click()
    page.get_by_role("link", name="Show what it came to").click(timeout=LONG)
    run = page.url.rpartition("/")[2].partition("?")[0]
    for path in (f"/probes/{run}", f"/probes/{run}/cells", f"/probes/{run}/cells/0", f"/triage?run={run}"):
        page.goto(path)
        assert "stolen" not in page.title()
    page.goto(f"/probes/{run}/cells/0")
    expect(page.locator("#asked")).to_contain_text("onerror")
    page.goto("/probes")
    page.get_by_label("Or a matrix of your own").set_input_files(
        {"name": "<script>x.yaml", "mimeType": "text/yaml", "buffer": b"distances: {"}
    )
    page.get_by_role("button", name="Begin the run").click()
    expect(page.locator("main")).to_contain_text("<script>x.yaml")
    complaints.forgive("status of 400")


def test_keys_alone_lead_from_the_list_to_a_cell(sign_in, asked):
    page = sign_in("quinn")
    page.goto("/playthroughs")
    page.keyboard.press("g")
    page.keyboard.press("p")
    page.wait_for_url("**/probes")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/probes/r*")
    page.goto(f"/probes/{asked[0].run_id}/cells?came_to=fail")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/cells/*")
    page.get_by_role("button", name="Replay it").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=re.compile("Once more"))).to_be_visible(timeout=LONG)


def test_weak_and_unsound_probes_are_looked_for(sign_in, site, service, asked, looked_at):
    page = sign_in("quinn")
    page.goto(f"/probes/{asked[1].run_id}")
    page.get_by_role("button", name="Look for weak and unsound probes").click(timeout=LONG, no_wait_after=True)
    expect(page.get_by_role("heading", name="Weak and unsound probes")).to_be_visible(timeout=LONG)
    expect(page.locator("#unsound")).to_contain_text("passes every cell")
    looked_at(page, "probes-doubts")
