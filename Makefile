# Needs python3 (3.11 to 3.13) and make. `make demo` first; `make test` and `make check` before a commit.
PYTHON := $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
.PHONY: setup demo test test-slow check fix bench lock

setup: .venv/made
.venv/made: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "This needs Python 3.11, 3.12 or 3.13 with its venv module (Debian: apt install python3-venv)." >&2; exit 2; }
	@echo "Setting up .venv with $(PYTHON) ..." && $(PYTHON) -m venv .venv
	@$(PIP) install --require-hashes -r requirements.lock && $(PIP) install --no-deps --no-build-isolation -e . && touch $@

demo: setup
	@$(BIN)/continuity demo
test: setup
	$(BIN)/pytest -m "not slow"
test-slow: setup
	$(BIN)/pytest -m slow
check: setup
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports
fix: setup
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .
bench: setup
	$(BIN)/continuity bench packet
lock:
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header --no-annotate --group dev pyproject.toml -o requirements.lock
