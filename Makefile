# `make all` reproduces the default experiment, `make test` runs the tests; both make the
# environment first, in .venv, from the versions pinned in requirements.txt.
PYTHON ?= python3
ACTIVATE := . .venv/bin/activate &&
# Some containers say that no byte code is to be kept; without it an import of torch takes twice as
# long, and most jobs import torch.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: all test format lint types docs flow checkpoints recomputed bench performance pages

all: .venv/made
	$(ACTIVATE) snakemake --cores 8 all

test: .venv/made
	$(ACTIVATE) pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: .venv/made types
	$(ACTIVATE) ruff format --check . && ruff check . && snakefmt --check . && snakemake --lint

types: .venv/made
	$(ACTIVATE) mypy

format: .venv/made
	$(ACTIVATE) ruff format . && ruff check --fix . && snakefmt .

# The pages, as a site in site/. What Sphinx warns of, such as a broken link, is an error.
docs: .venv/made
	$(ACTIVATE) sphinx-build --fail-on-warning --keep-going --fresh-env --quiet docs site

# The drawing in docs/architecture.md; a test says when the rules have moved on.
flow: .venv/made
	$(ACTIVATE) python docs/draw_flow.py

# What is in results/checkpoints, and what of it no configuration needs; it deletes nothing.
checkpoints: .venv/made
	$(ACTIVATE) python scripts/checkpoints.py config.yaml config/*.yaml

# docs/recomputed.md; a test says when the imports have moved on.
recomputed: .venv/made
	$(ACTIVATE) python docs/write_recomputed.py

# What each stage costs, into benchmarks/results/; then docs/performance.md from what is there.
bench: .venv/made
	$(ACTIVATE) for program in $(filter-out %/measure.py,$(wildcard benchmarks/*.py)); do \
	    python $$program || exit; done
	$(MAKE) performance

# The tables between markers in README.md and docs/*.md, from the files in docs/results/; a test says when they differ.
pages: .venv/made
	$(ACTIVATE) python -m docs.pages

# A test says when the page no longer fits the results.
performance: .venv/made
	$(ACTIVATE) python docs/write_performance.py

.venv/made: requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(ACTIVATE) pip install --disable-pip-version-check --no-compile -r requirements.txt
	$(ACTIVATE) pip install --disable-pip-version-check --no-deps -e .
	touch $@
