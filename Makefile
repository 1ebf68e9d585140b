# The two commands of the README are `make demo` and `make test`; each sets up what it needs, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python

.PHONY: demo package docker test test-all test-oldest test-newest bench reproduction fault-injection trust audit screenshots page-pictures docs lint format hooks clean

demo: $(VENV)/.core
	@$(BIN)/highway train cora --split random --out runs/demo --force
	@$(BIN)/highway report runs/demo --check-first runs/demo-check-first.csv
	@echo
	@echo "Open $(CURDIR)/runs/demo/report.html in a browser. Then:"
	@echo "  look at the nodes to check first   runs/demo-check-first.csv"
	@echo "  train on your own tables           $(BIN)/highway train FOLDER --out runs/mine (docs/first-csv.md)"
	@echo "  predict every node                 $(BIN)/highway predict runs/demo --out predictions.csv"

test: $(VENV)/.dev
	$(RUN) -m pytest -n auto -m "not slow"

test-all: $(VENV)/.dev
	$(RUN) -m pytest -n auto

# Wheel and sdist in a fresh environment, with the demo outside the clone. With uv: make package INSTALLER=uv
INSTALLER ?= pip
package: $(VENV)/.dev
	@[ $(INSTALLER) != uv ] || $(RUN) -m pip install --quiet uv
	$(RUN) -m tools.package $(INSTALLER)

docker:
	docker build --tag highwaygraph .

# The lowest and the newest versions that pyproject.toml allows, in environments of their own, and a short selection of tests.
# Warnings are no errors there: other versions deprecate other names.
SMOKE := tests/training/test_engine.py tests/nn/test_gnn.py tests/data/test_load.py tests/test_classifier.py tests/cli/test_train.py
SMOKE_TOOLS := "pytest>=8" "pytest-xdist>=3.6" "hypothesis>=6.100" "beartype>=0.18"

test-oldest: RESOLUTION := lowest-direct
test-newest: RESOLUTION := highest
test-oldest test-newest: | $(BIN)/python
	$(RUN) -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(RUN) $(VENV)-$(RESOLUTION)
	$(BIN)/uv pip install --quiet --python $(VENV)-$(RESOLUTION)/bin/python --resolution $(RESOLUTION) \
		-e ".[report,tables]" $(SMOKE_TOOLS)
	$(VENV)-$(RESOLUTION)/bin/python -m pytest -o filterwarnings=default -m "not slow" -q $(SMOKE)

bench: $(VENV)/.dev
	$(RUN) -m benchmarks
	$(RUN) -m tools.performance

# Every table and figure of docs/reproduction.md, from the records in results/, which `highway study NAME` writes.
reproduction: $(VENV)/.dev
	$(RUN) -m tools.tuned
	$(RUN) -m tools.reproduction
	$(RUN) -m tools.method
	$(RUN) -m tools.tried
	$(RUN) -m tools.untuned
	$(RUN) -m tools.other_graphs
	$(RUN) -m tools.labelling
	$(RUN) -m tools.folds

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

# Pictures of every kind of page in build/pages, wide and narrow, light and dark, to be looked at.
page-pictures: $(VENV)/.dev
	$(RUN) -m tools.page_pictures

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
	rm -rf $(VENV) $(VENV)-lowest-direct $(VENV)-highest site viewer/node_modules viewer/dist viewer/build src/highwaygraph/report/assets/viewer.* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "HighwayGraph needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The demo ends with commands on tables, and README has the labelling page: the extra `label` has what both need.
# The stamps are remade only when what to install has changed, so a later `make demo` starts at once.
VIEWER := hatch_build.py viewer/package-lock.json $(wildcard viewer/src/*)

$(VENV)/.core: pyproject.toml constraints.txt $(VIEWER) | $(BIN)/python
	@echo "Installing HighwayGraph and PyTorch into $(VENV) (once, some minutes)"
	@$(RUN) -m pip install --disable-pip-version-check --progress-bar on -c constraints.txt -e ".[label]"
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VIEWER) | $(BIN)/python
	@echo "Installing HighwayGraph, PyTorch and development tools into $(VENV) (once, some minutes)"
	@$(RUN) -m pip install --disable-pip-version-check --progress-bar on -c constraints.txt -e ".[dev]"
	@touch $@ $(VENV)/.core
