"""Probes in the browser: QA runs a matrix, opens the worst cell and replays it; heat maps, comparison, triage."""

import re
import time

import pytest
from playwright.sync_api import expect

from ledger_service.bootstrap import load_story
from ledger_service.services.begin_run import Wish, begin, plan_run

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
LONG = 60_000


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
    for _ in range(600):
        if not site.run(app.stores.probe_runs.progress, run_id).counts["pending"]:
            return
        time.sleep(0.1)
    pytest.fail("the service's own worker did not finish the run")


def test_qa_runs_the_matrix_opens_the_worst_cell_and_replays_it(sign_in, looked_at):
    page = sign_in("quinn")
    page.goto("/probes")
    page.get_by_label("Matrix", exact=True).select_option("maelin/demo.yaml")
    page.locator("#new-subject").select_option("faulty")
    page.get_by_role("button", name="Begin the run").click()
    expect(page.get_by_role("status").first).to_contain_text("The run has begun: 36 cells.")
    expect(page.locator("#progress")).to_contain_text("36 planned =")
    page.get_by_role("link", name="Show what it came to").click(timeout=LONG)
    expect(page.locator("#progress")).to_contain_text("36 of 36 cells")
    expect(page.locator("#progress")).to_contain_text("over")
    expect(page.locator("#verdict")).to_contain_text("gate missed")
    expect(page.locator("#heat")).to_contain_text("✘ 0 %")
    looked_at(page, "probes-run")
    page.get_by_role("link", name=re.compile("^next turn, false completion:")).click()
    page.locator("#cells tbody th a").first.click()
    expect(page.locator("#evidence")).to_contain_text("What the packet was to hold")
    expect(page.locator("#tries")).to_contain_text("generation")
    looked_at(page, "probes-cell")
    page.get_by_role("button", name="Replay it").click(timeout=LONG)
    expect(page.get_by_role("status")).to_contain_text("The packet is the same as in the run", timeout=LONG)
    expect(page.locator("#line")).to_contain_text("Yes, you brought the sensor back")
    expect(page.locator("#packet")).to_contain_text("May be said")
    looked_at(page, "probes-replay")


def test_runs_are_listed_with_who_began_them(sign_in, asked, looked_at):
    page = sign_in("quinn")
    page.goto("/probes?subject=template")
    row = page.locator("#runs tbody tr").first
    expect(row).to_contain_text("maelin")
    expect(row).to_contain_text("quinn")
    expect(row).to_contain_text("36")
    page.goto("/probes")
    looked_at(page, "probes")
