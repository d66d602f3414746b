# Everything a person or CI runs. `make run` and `make test` set up what they need by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS_VENV := .venv-peers
CORE := $(VENV)/.core-installed
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
AGAIN := $(BIN)/python -m pytest --last-failed --last-failed-no-failures none -m

.PHONY: run test quick lint page messages browser peers bench bench-peers conformance clean help

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: $(CORE) page  ## the main job: the pendant in the browser, with the bundled cobot in its physics twin
	$(BIN)/armillary run cobot6

test: $(STAMP)  ## every check and test
	$(MAKE) --no-print-directory lint page
	@# What a stall of a shared machine has failed is tried once more by itself, in sight; a defect fails again.
	$(BIN)/python -m pytest -n auto -m "not alone" --maxfail 20 --durations=15 || $(AGAIN) "not alone"
	$(BIN)/python tools/build_page.py test
	$(BIN)/python -m pytest -m alone --durations=40 || $(AGAIN) alone

quick: $(STAMP)  ## the checks and tests of a minute, for all day
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/python -m pytest -n auto -m "not slow and not alone"

lint: $(STAMP)
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

page: $(CORE)  ## the pendant's page, where its sources have changed
	@$(BIN)/python tools/build_page.py

messages: $(CORE)  ## the browser's side of the messages, from ours
	$(BIN)/python -m armillary.interfaces.http.typescript web/src/messages.ts

browser: $(STAMP) page  ## the pendant in Chromium, before a cell with its twin
	$(BIN)/python -m pytest tests/pendant -v

peers:  ## system packages that some tests talk to (Chromium, LinuxCNC, ROS 1), through apt
	@sh tools/install_peers.sh

bench-peers: $(PEERS_VENV)/.installed  ## the environment of the libraries that benchmarks compare with

bench: $(STAMP) $(PEERS_VENV)/.installed  ## every benchmark, a minute each
	@for file in benchmarks/[a-z]*.py; do $(BIN)/python $$file || exit 1; done

conformance: $(STAMP)  ## how far we agree with other readers, on the files of ../shared/data
	$(BIN)/python tools/conformance.py
	$(BIN)/python tools/gcode_conformance.py

$(CORE): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=python3.11 ..."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing Armillary into $(VENV) (a minute, once)"
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(STAMP): $(CORE)
	@echo "installing what the tests need, robots of others among it (a minute or two, once)"
	$(PIP) install -c constraints.txt -e '.[dev,robots]'
	@touch $@

$(PEERS_VENV)/.installed: benchmarks/peers.txt
	test -x $(PEERS_VENV)/bin/python || $(PYTHON) -m venv $(PEERS_VENV)
	$(PEERS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/peers.txt
	@touch $@

clean:  ## what was made, but not the environments
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
