"""What a failed step shows: where it stands, and in the words of the story what is not so; no traceback of ours."""

from collections.abc import Generator

import pytest
from pytest_bdd.parser import Feature, Scenario, Step

_step: pytest.StashKey[str] = pytest.StashKey()


def step_of(item: pytest.Item) -> str:
    """Return the step that a test is at, as its feature writes it, with file and line."""
    return item.stash.get(_step, "")


@pytest.hookimpl(optionalhook=True)
def pytest_bdd_before_step(
    request: pytest.FixtureRequest, feature: Feature, scenario: Scenario, step: Step, step_func: object
) -> None:
    """Remember where a scenario is."""
    del scenario, step_func
    said = f"{feature.rel_filename}:{step.line_number}: {step.keyword} {step.name}"
    request.node.stash[_step] = said.strip()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of an error of the ledger what it is and what to do about it, at the step that it came from."""
    report = yield
    step = step_of(item)
    if call.excinfo is None or not step or report.outcome != "failed":
        return report
    from ledger_service.domain.errors import LedgerError  # noqa: PLC0415  (a failed step has loaded it already)

    error = call.excinfo.value
    if isinstance(error, LedgerError):
        cure = f"\n{error.cure}" if error.cure else ""
        report.longrepr = f"{step}\n{error}{cure}"
    return report
