# Needs python3 (3.11 to 3.13) and make. `make demo` first; `make test` and `make check` before a commit; `make help`.
PYTHON := $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
GRAPH_URL := $(or $(CONTINUITY_TEST_FALKORDB_URL),$(CONTINUITY_FALKORDB_URL))
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
.PHONY: help setup demo test test-slow test-postgres test-graph check fix bench lock

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup: .venv/made  ## .venv with everything that is needed
.venv/made: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "This needs Python 3.11, 3.12 or 3.13 with its venv module (Debian: apt install python3-venv)." >&2; exit 2; }
	@echo "Setting up .venv with $(PYTHON) ..." && $(PYTHON) -m venv .venv
	@$(PIP) install --require-hashes -r requirements.lock && $(PIP) install --no-deps --no-build-isolation -e . && touch $@

demo: setup  ## the main job on one story
	@$(BIN)/continuity demo
test: setup  ## all tests but the slow ones, on up to four cores, each with servers of its own
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder -m "not slow"
test-slow: setup  ## what a night is for: 10,000 generated cases for each rule, and the slow tests
	CONTINUITY_PROFILE=nightly $(BIN)/pytest -m "slow or hypothesis"
test-postgres: setup  ## the tests of the record on the server of CONTINUITY_TEST_POSTGRES_URL
	@test -n "$$CONTINUITY_TEST_POSTGRES_URL" || { echo "Set CONTINUITY_TEST_POSTGRES_URL to a superuser of a server for tests, such as postgresql://postgres:secret@127.0.0.1:5432/postgres" >&2; exit 2; }
	$(BIN)/pytest -m "postgres and not slow" tests/integration --ignore tests/integration/test_embedded.py
test-graph: setup  ## the tests of the graph on the server of CONTINUITY_TEST_FALKORDB_URL (or CONTINUITY_FALKORDB_URL)
	@test -n "$(GRAPH_URL)" || { echo "Set CONTINUITY_TEST_FALKORDB_URL to a server for tests, such as redis://:secret@127.0.0.1:6379" >&2; exit 2; }
	CONTINUITY_TEST_FALKORDB_URL="$(GRAPH_URL)" $(BIN)/pytest -m "falkordb and not slow" tests/integration --ignore tests/integration/test_embedded.py
check: setup  ## format, lint, types, import contracts
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports
fix: setup  ## what format and lint can mend
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .
bench: setup  ## measure packets
	$(BIN)/continuity bench packet
lock:  ## write requirements.lock anew
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header --no-annotate --group dev pyproject.toml -o requirements.lock
