# `make all` reproduces the default experiment, `make test` runs the tests; both make the
# environment first, in .venv, from the versions pinned in requirements.txt. `make test-slow` runs
# the rest of the tests: whole programs, which take a minute or more each. CI runs both.
PYTHON ?= python3
ACTIVATE := . .venv/bin/activate &&
# Some containers say that no byte code is to be kept; without it an import of torch takes twice as
# long, and most jobs import torch.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: all test test-slow check format lint types lock docs bench pages

all: .venv/made
	$(ACTIVATE) snakemake --cores 8 all

PYTEST := pytest -n 2 --dist loadfile --no-loadscope-reorder

test: .venv/made
	$(ACTIVATE) $(PYTEST) -m "not slow"

test-slow: .venv/made
	$(ACTIVATE) $(PYTEST) -m slow

lint: .venv/made types
	$(ACTIVATE) ruff format --check . && ruff check . && snakefmt --check . && snakemake --lint

types: .venv/made
	$(ACTIVATE) mypy

format: .venv/made
	$(ACTIVATE) ruff format . && ruff check --fix . && snakefmt .

# The tests of a folder or a module: `make check FOLDER=groundvec/encoders`, or `FOLDER=groundvec/encoders/rnn.py`.
check: .venv/made
	$(ACTIVATE) pytest -q $$(python tests/support/find_tests.py $(FOLDER))

# Pin the newest versions that pyproject.toml admits, for all platforms, also for conda. CUDA's packages are left
# to torch, which pins them itself: they differ where torch is built for a CPU.
lock: .venv/made
	$(ACTIVATE) uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	    --upgrade --no-annotate --custom-compile-command "make lock" | sed -E '/^(cuda|nvidia|triton)[-=]/d' > requirements.new
	mv requirements.new requirements.txt
	$(ACTIVATE) python envs/write.py

# The pages, as a site in site/. What Sphinx warns of, such as a broken link, is an error.
docs: .venv/made
	$(ACTIVATE) sphinx-build --fail-on-warning --keep-going --fresh-env --quiet docs site

# What each stage costs, into benchmarks/results/; then the pages from what is there.
bench: .venv/made
	$(ACTIVATE) for program in $(filter-out %/measure.py,$(wildcard benchmarks/*.py)); do \
	    python $$program || exit; done
	$(MAKE) pages

# Tables in README.md and docs/*.md, docs/performance.md and the drawings; a test says when they differ. `make pages PAGE=docs/best.md` writes one.
pages: .venv/made
	$(ACTIVATE) python -m docs.pages $(PAGE)

# Editable mode `compat` puts the whole clone on Python's path, so `reproduction` is found too.
.venv/made: requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(ACTIVATE) pip install --disable-pip-version-check --no-compile -r requirements.txt
	$(ACTIVATE) pip install --disable-pip-version-check --no-deps --config-settings editable_mode=compat -e .
	touch $@
