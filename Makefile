# Everything goes through .venv, which is made from requirements.lock when it is missing or older.
PYTHON := $(shell for p in python3.13 python3.12 python3.11 python3; do "$$p" -c 'import sys, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && { echo "$$p"; break; }; done)
BIN := .venv/bin
.PHONY: setup demo test test-slow check fix bench
setup: .venv/ready
.venv/ready: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 with venv is needed (Debian: apt install python3-venv)"; exit 2; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@
demo: setup
	$(BIN)/continuity demo
test: setup
	$(BIN)/python -m pytest -m "not slow"
test-slow: setup
	CONTINUITY_PROFILE=nightly $(BIN)/python -m pytest
check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
bench: setup
	$(BIN)/continuity bench packet
