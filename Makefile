# The two commands of the README are `make demo` and `make test`; each sets up what it needs, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python

.PHONY: demo test test-all bench reproduction fault-injection trust audit screenshots docs lint format hooks clean

demo: $(VENV)/.core
	$(BIN)/highway train cora --split random --out runs/demo --force
	$(BIN)/highway report runs/demo

test: $(VENV)/.dev
	$(RUN) -m pytest -n auto -m "not slow"

test-all: $(VENV)/.dev
	$(RUN) -m pytest -n auto

bench: $(VENV)/.dev
	$(RUN) -m benchmarks
	$(RUN) -m tools.performance

# Every table and figure of docs/reproduction.md, from the records in results/, which `highway study NAME` writes.
reproduction: $(VENV)/.dev
	$(RUN) -m tools.tuned
	$(RUN) -m tools.reproduction
	$(RUN) -m tools.tried
	$(RUN) -m tools.untuned
	$(RUN) -m tools.other_graphs
	$(RUN) -m tools.labelling

# Kill processes, corrupt files and compare tables for about twenty minutes, and write docs/reliability.md from the counts.
# A part, or a share of it: python -m tools.fault_injection tables --share 0.05
fault-injection: $(VENV)/.dev
	$(RUN) -m tools.fault_injection

# The former name.
trust: fault-injection

# The software bill of materials (build/sbom.json), with checks of versions and licences.
audit: $(VENV)/.dev
	$(BIN)/pip check
	$(RUN) -m tools.sbom build/sbom.json

# The screenshots of the report page, of its viewer and of the labelling page.
screenshots: $(VENV)/.dev
	$(RUN) -m tools.screenshots

# The documentation as a folder of pages that open from disk.
docs: $(VENV)/.dev
	$(RUN) -m tools.concept_figure
	$(RUN) -m tools.architecture_figures
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet --site-dir site
	@echo "Open site/index.html"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Checks before every commit; pre-commit is no part of the pinned environment, as nothing else needs it.
hooks: $(VENV)/.dev
	$(RUN) -m pip install --quiet -c constraints.txt pre-commit
	$(BIN)/pre-commit install

clean:
	rm -rf $(VENV) site viewer/node_modules viewer/dist viewer/build src/highwaygraph/report/assets/viewer.* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "HighwayGraph needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The stamps are remade only when what to install has changed, so a later `make demo` starts at once.
VIEWER := hatch_build.py viewer/package-lock.json $(wildcard viewer/src/*)

$(VENV)/.core: pyproject.toml constraints.txt $(VIEWER) | $(BIN)/python
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[report]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VIEWER) | $(BIN)/python
	$(RUN) -m pip install --quiet -c constraints.txt -e ".[dev]"
	@touch $@ $(VENV)/.core
