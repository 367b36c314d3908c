# make book     build the book into _build/html
#               NOTEBOOKS=capacity/stumps for one chapter, SOURCE=yildiz2012 for those
#               on one document, STRICT=1 to insist on every claim and theorem
# make serve    read the book at http://127.0.0.1:8000
# make lab      open the chapters in JupyterLab, which it installs
# make paper    the short paper on the theorems, from the book
# make proofs   let Coq check the theorems
#
# make test     run every test
# make lint     check style and types
# make bench    measure speed as ratios
# make mutants  list small changes of the library that no test notices
# make api      write down the public names and signatures
# make clean    delete what was built

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Python compiles a module when it is first imported; most of 200 MB never are.
LOCKED := $(PIP) --require-hashes --no-compile

export PYTHONHASHSEED = 0
export SOURCE_DATE_EPOCH = 0
# A build and the tests start about 100 interpreters, which share their bytecode.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book paper serve lab proofs test style lint bench mutants api clean setup

# The book, and what is read

# STRICT=1 does not insist on Coq itself: without it, its theorems are not checked.
book: setup
	$(BIN)/python book/build.py --jobs $(JOBS) \
	  $(if $(NOTEBOOKS),--only "$(NOTEBOOKS)") \
	  $(if $(SOURCE),--source "$(SOURCE)") \
	  $(if $(STRICT),--strict)

serve: book
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

# A click opens a chapter as a notebook, in this environment only. Tables of these runs
# have their own folder, so they are not taken for those of the book. In a container,
# LAB="--ip=0.0.0.0 --no-browser" lets the browser outside reach JupyterLab.
lab: export TREEBOUNDS_RESULTS ?= $(abspath _build/lab)
lab: AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)
lab: setup $(VENV)/.lab
	JUPYTER_CONFIG_DIR="$(abspath $(VENV))/etc/jupyter" \
	  $(BIN)/jupytext-config set-default-viewer markdown
	$(BIN)/jupyter-lab $(AS_ROOT) $(LAB) notebooks

paper: book $(VENV)/.paper
	$(BIN)/python paper/build_paper.py

# "make book" runs this, too, where Coq is installed and a theorem changed.
proofs:
	$(PYTHON) proofs/check.py

# Tests and measurements

# Workers wait for the small book, for a browser, or for a process that is killed. So
# there is one more than processors.
test: WORKERS = $$(($(JOBS) + 1))
# Each has one thread: threads of several workers would wait for one another's cores.
test: export OMP_NUM_THREADS ?= 1
# COVERAGE=1 also prints which branches of the library no test enters, and takes a tenth
# longer; .ci/run does it.
test: MEASURED = $(if $(COVERAGE),--cov --cov-report=term)
test: style
	$(BIN)/python -m pytest -q -rfEs -n $(WORKERS) --dist worksteal $(MEASURED)

style: setup $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/zizmor --offline --quiet --no-progress --strict-collection \
	  --persona=auditor .github

lint: style
	$(BIN)/mypy

bench: export TREEBOUNDS_SPARK_PYTHON ?= $(abspath $(wildcard .venv-spark/bin/python))
bench: setup
	$(BIN)/python benchmarks/run.py

mutants: setup $(VENV)/.test
	$(BIN)/python tests/mutants.py --jobs $(JOBS) --minutes 30 --seed 0

# A test compares these names; run it after a change that is meant.
api: setup $(VENV)/.test
	$(BIN)/python tests/test_api.py

clean:
	rm -rf _build dist

# The environment

setup: $(VENV)/.installed

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))

# An environment that exists is used and never deleted: VENV may name a user's own.
$(VENV)/.requirements: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -c '$(SUPPORTED)' || { \
	  echo "Python 3.11 to 3.14 is needed; $(PYTHON) is another version." \
	    "Try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Python has no venv module." \
	    "On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(BIN)/python -m ensurepip
	$(LOCKED) --requirement requirements.lock
	@$(BIN)/python -c 'import lightgbm' 2>/dev/null || { \
	  echo "LightGBM cannot load OpenMP's library." \
	    "On Debian or Ubuntu: apt install libgomp1"; exit 1; }
	touch $@

# Python finds all of lib/, and so the book's own package, which is not in the wheel.
$(VENV)/.installed: pyproject.toml lib/treebounds/__init__.py $(VENV)/.requirements
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

# What the tests, the paper and JupyterLab need besides.
EXTRAS := $(VENV)/.test $(VENV)/.paper $(VENV)/.lab
$(EXTRAS): $(VENV)/.%: requirements-%.lock $(VENV)/.requirements
	$(LOCKED) --no-deps --requirement $<
	touch $@
