# `make all` reproduces the default experiment, `make test` runs the tests; both make the
# environment first, in .venv, from the versions pinned in requirements.txt.
PYTHON ?= python3
ACTIVATE := . .venv/bin/activate &&

.PHONY: all test format lint

all: .venv/made
	$(ACTIVATE) snakemake --cores 8 all

test: .venv/made
	$(ACTIVATE) pytest -n 2 --dist loadgroup

lint: .venv/made
	$(ACTIVATE) ruff format --check . && ruff check . && snakefmt --check . && snakemake --lint

format: .venv/made
	$(ACTIVATE) ruff format . && ruff check --fix . && snakefmt .

.venv/made: requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(ACTIVATE) pip install --disable-pip-version-check -r requirements.txt
	$(ACTIVATE) pip install --disable-pip-version-check --no-deps -e .
	touch $@
