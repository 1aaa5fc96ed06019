"""Conventions that hold the house together."""

import ast
import inspect
from functools import cache
from pathlib import Path

import pytest

from ledger_service.domain import errors
from ledger_service.domain.errors import LedgerError
from ledger_service.settings import VARIABLES, from_env
from ledger_service.web.errors import STATUS, status_of

PACKAGE = Path(__file__).parents[2] / "ledger_service"
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if "shipped" not in p.parts)
LEAVES = [
    c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, LedgerError) and not c.__subclasses__()
]


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def calls_of(path, name):
    return [
        n
        for n in ast.walk(tree_of(path))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name
    ]


def test_a_packet_is_built_in_one_place_only():
    built = [str(p.relative_to(PACKAGE)) for p in MODULES if calls_of(p, "ContextPacket")]
    assert built == ["reconcile/pipeline.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_in_one_line_what_it_is_for(path):
    said = ast.get_docstring(tree_of(path))
    assert said
    assert len(said.splitlines()[0]) <= 130


def test_commits_are_written_in_services_only():
    names = {
        p.relative_to(PACKAGE).parts[0]
        for p in MODULES
        for n in ast.walk(tree_of(p))
        if isinstance(n, ast.Await) and isinstance(n.value, ast.Call) and getattr(n.value.func, "attr", "") == "commit"
    }
    assert names == {"services"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda c: c.__name__)
def test_every_error_has_a_status_and_a_line_in_the_tree(leaf):
    assert status_of(leaf) in set(STATUS.values())
    assert leaf.__name__ in (errors.__doc__ or "")


def test_every_variable_is_read_and_documented_in_the_readme():
    readme = (PACKAGE.parent / "README.md").read_text()
    source = inspect.getsource(inspect.getmodule(from_env))
    for name in VARIABLES:
        assert source.count(name) >= 2, f"{name} is documented and never read"
        assert name in readme, f"{name} is missing in README"
