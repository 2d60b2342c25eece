# Everything a person or CI does here has a verb. `make help` lists them.

BIN := .venv/bin
PORT ?= 8501

# The newest of these that runs, is at least 3.11 and can make virtual environments.
ifndef PYTHON
PYTHON = $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
endif

.DEFAULT_GOAL := help
.PHONY: help demo dashboard test check lint format-check types imports spelling docs-check format docs site lock \
	bench crash nightly install install-dev clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: install ## compare three ways of routing work on 24 contracts, offline
	$(BIN)/nightschool demo

dashboard: install ## look at what is stored, in a browser (PORT=8501)
	$(BIN)/python -m nightschool.dashboard --port $(PORT)

test: install-dev ## run the tests (ARGS="-k name" to choose)
	$(BIN)/pytest -n auto --dist loadfile $(ARGS)

crash: install-dev ## kill writers, syncs and readers at every point, let disks fail, run all at once (about 20 minutes)
	$(BIN)/pytest -m crash --log-cli-level=INFO $(ARGS)

nightly: install-dev ## run the tests that are too long for every change
	$(BIN)/pytest -m nightly $(ARGS)

check: lint format-check types imports spelling docs-check ## lint, formatting, types, layers, spelling, generated docs

lint: install-dev
	$(BIN)/ruff check .

format-check: install-dev
	$(BIN)/ruff format --check .

types: install-dev
	$(BIN)/mypy

imports: install-dev
	$(BIN)/lint-imports --no-logo

spelling: install-dev
	$(BIN)/codespell

docs-check: install-dev
	$(BIN)/python docs/generate.py --check

format: install-dev ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install-dev ## write the generated pages of docs/reference
	$(BIN)/python docs/generate.py

site: install-dev ## make the documentation site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

lock: install-dev ## write the lock files from what is installed
	$(BIN)/python scripts/lock.py

bench: install-dev ## measure the log and the warehouse on this machine
	$(BIN)/python -m benchmarks.log $(ARGS)

install: .venv/.installed ## make .venv with everything nightschool needs to run

install-dev: .venv/.installed-dev ## ... and everything that developing it needs

clean: ## remove caches and builds; data/ and .venv stay
	rm -rf dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find platform evals tests docs scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

.venv/.installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "nightschool needs Python 3.11 or newer with venv; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "installing into .venv (once; about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps -e .
	@touch $@

.venv/.installed-dev: .venv/.installed requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.lock -r requirements-dev.lock
	@touch $@
