"""The ledger browser and the boards on 100,000 entries: pages within 150 ms and 200 kB, whatever is asked for."""

import statistics
import time

import httpx
import pytest

from tests.e2e.console.test_large_packets import MOST_BYTES, MOST_MS, ROUNDS, bench  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.postgres, pytest.mark.falkordb]
QUERIES = (
    "", "?text=lantern+harbour", "?text=lantern", "?knower=c3", "?kind=observation", "?kind=commitment",
    "?status=superseded", "?status=quarantined", "?source=document", "?band=doubtful", "?scene=2", "?seen=c3",
    "?seen=c3&text=kettle", "?seen=c3&status=superseded", "?knower=c3&source=told_by", "?after=500:x",
)  # fmt: skip


def test_pages_of_the_ledger_are_quick_and_light_however_large_it_is(bench, sign_in, site, capsys):  # noqa: F811
    playthrough_id, built = bench
    page = sign_in("eno")
    page.goto("/playthroughs")
    cookies = {c["name"]: c["value"] for c in page.context.cookies()}
    home = f"/playthroughs/{playthrough_id}"
    entry = f"{home}/entries/{built[-1].packet.selected[0].entry_id}"
    paths = [f"{home}/entries{query}" for query in QUERIES]
    paths += [
        entry,
        f"{entry}?seen=c3",
        f"{home}/boards",
        f"{home}/boards?board=drafts",
        f"{home}/boards/digest?since=0",
    ]
    found = {}
    with httpx.Client(base_url=site.url, cookies=cookies) as client:
        for path in paths:
            took = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                answer = client.get(path)
                took.append(1_000 * (time.perf_counter() - began))
                assert answer.status_code == 200, path
            found[path] = (min(took), statistics.median(took), len(answer.content))
    with capsys.disabled():
        for path, (least, median, size) in found.items():
            print(f"\n{least:6.1f} ms at least, {median:6.1f} ms median, {size / 1000:6.1f} kB  {path}", end="")
    assert {path: row for path, row in found.items() if row[0] > MOST_MS or row[2] > MOST_BYTES} == {}
