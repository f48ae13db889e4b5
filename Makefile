# Two commands do all the set-up: `make demo` and `make test`.  Both need Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
DEMO := .demo
SOURCES := $(shell find cli kb indexers retrieval rag_eval -name '*.py') __init__.py py.typed pyproject.toml
# Files of tests side by side, one process a core: the crash tests of one file build on each other.
PYTEST_FLAGS ?= -n auto --dist loadfile

# The steps of `make test` come in order, and pytest's closing line last.
.NOTPARALLEL:
.PHONY: help demo test lint types unit clean
.DEFAULT_GOAL := help

help:  ## What the targets are.
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "apikb needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
	  echo "Name another one: make $(or $(MAKECMDGOALS),demo) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: pyproject.toml | $(VENV)/made
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=24'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/made
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=24'
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed  ## Index one small library, look a symbol up, show its history, run a query.
	@mkdir -p $(DEMO)
	@APIKB_KB=$(DEMO)/kb.duckdb APIKB_CACHE=$(DEMO)/cache BIN=$(BIN) sh docs/demo.sh

lint: $(VENV)/installed-dev  ## Style and layers.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# A normal install, as users have it: an editable one is invisible to the type checker.
build/typecheck/.stamp: $(SOURCES) $(VENV)/installed-dev
	@rm -rf build/typecheck build/lib build/bdist.*
	$(BIN)/python -m pip install --quiet --no-deps --target build/typecheck .
	@touch $@

types: build/typecheck/.stamp  ## Strict types, on a normal install.
	cd build/typecheck && MYPYPATH=. $(BIN)/mypy --config-file $(CURDIR)/pyproject.toml \
	  --python-executable $(BIN)/python --cache-dir $(CURDIR)/.mypy_cache -p apikb

# NETWORK=1 adds the tests that read from the package index that pip is configured for.
unit: $(VENV)/installed-dev  ## The tests, with branch coverage; NETWORK=1 adds those that need the index.
	$(BIN)/pytest $(if $(NETWORK),,-m "not network") --cov --cov-report=term:skip-covered $(PYTEST_FLAGS)

test: lint types unit  ## Style, layers, types and tests; NETWORK=1 as above.

clean:  ## Remove what was made here.
	rm -rf $(VENV) $(DEMO) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
