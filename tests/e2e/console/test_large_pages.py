"""Pages of 100,000 entries and of 50,000 tries weigh at most 200 kB, and list no more than a page of them.

How long they take is measured by `continuity bench console`, on these very pages.
"""

import re

import httpx
import pytest

from ledger_service.cli.bench_console import of_ledger, of_run
from ledger_service.cli.bench_ground import shut_bench
from ledger_service.services.people.sign_in import open_session
from tests.e2e.console.test_probes import app_wake, begun, until_over

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
MOST_BYTES, MOST_ROWS = 200_000, 201


@pytest.fixture(params=[pytest.param((2_000, 1_000), id="2k"), pytest.param((100_000, 50_000), marks=pytest.mark.slow)])
def large(site, service, request):
    """Pages of so many entries and of so many tries."""
    entries, tries = request.param
    ledger = site.run(of_ledger, service.application, entries)
    run = begun(site, service.application, only=("next_turn/*/0",))
    app_wake(service)
    until_over(site, service.application, run.run_id)
    yield tries, ledger, site.run(of_run, service.application, run, tries)
    site.run(shut_bench, service.application, ledger[0].path.rpartition("/")[2])


@pytest.fixture
def asked(site, service):
    """Ask for a page as an engineer who sees every world."""
    token = site.run(open_session, "eno", accounts=service.application.accounts)
    with httpx.Client(base_url=site.url, cookies={"continuity_session": token}, timeout=60, verify=False) as client:
        yield client.get


def test_pages_are_light_and_list_a_page_of_it_however_much_there_is(large, asked):
    tries, ledger, run = large
    found = {}
    for page in (*ledger, *run):
        answer = asked(page.path)
        assert answer.status_code == 200, page
        found[page.name] = (len(answer.content), answer.text.count("<tr>"), answer.text)
    assert {n: size for n, (size, _, _) in found.items() if size > MOST_BYTES} == {}
    assert {n: rows for n, (_, rows, _) in found.items() if rows > MOST_ROWS} == {}
    heat = found["run with its heat map"][2]
    assert f"{tries} tries" in heat
    assert len(re.findall(r'<th scope="row">far', heat)) == 20
    assert found["entries"][1] > 40, "nothing is listed"
