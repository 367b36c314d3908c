# make book   build the book into _build/html        (NOTEBOOKS=capacity/stumps for one chapter, SOURCE=yildiz2012
#             for those on one document, STRICT=1 to insist)
# make test   run every test                         make serve   read the book at http://127.0.0.1:8000
# make lab    open the chapters in JupyterLab, which it installs
# make paper  the short paper on the theorems, from the book's statements and figures
# make bench  measure speed as ratios                make lint    style and types       make clean
# make api    write down the public names and signatures, after a change that is meant
# make mutants  small changes of the library that no test notices
# make proofs let Coq check the theorems; make book does so where Coq is installed and they changed

SHELL  := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Bytecode is written when a module is first imported, which is never for most of 200 MB of it.
LOCKED := $(PIP) --require-hashes --no-compile

export PYTHONHASHSEED = 0
export SOURCE_DATE_EPOCH = 0
# a build and the tests start about 100 interpreters; let them share bytecode
unexport PYTHONDONTWRITEBYTECODE

.PHONY: api book paper lab test serve bench style lint clean setup mutants proofs

# STRICT=1 insists on every claim and on every theorem that Coq can check, but not on Coq
book: setup
	$(BIN)/python book/build.py --jobs $(JOBS) $(if $(NOTEBOOKS),--only "$(NOTEBOOKS)") \
	  $(if $(SOURCE),--source "$(SOURCE)") $(if $(STRICT),--strict)

paper: book $(VENV)/.paper
	$(BIN)/python paper/build_paper.py

# one worker more than processors: each waits for a while, for the small book, a browser or a process that is killed
test: style
	$(BIN)/python -m pytest -q -rfEs -n $$(($(JOBS) + 1)) --dist worksteal --cov --cov-report=term

proofs:
	$(PYTHON) proofs/check.py

# The chapters open as notebooks by a click, in this environment only. Their tables go to a folder of their own, not among
# those of the book. JupyterLab refuses to run as root unless it is told to; in a container, LAB="--ip=0.0.0.0 --no-browser"
# lets the browser outside reach it.
lab: export TREEBOUNDS_RESULTS ?= $(abspath _build/lab)
lab: setup $(VENV)/.lab
	JUPYTER_CONFIG_DIR="$(abspath $(VENV))/etc/jupyter" $(BIN)/jupytext-config set-default-viewer markdown
	$(BIN)/jupyter-lab $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB) notebooks

serve: book
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html 8000

bench: export TREEBOUNDS_SPARK_PYTHON ?= $(abspath $(wildcard .venv-spark/bin/python))
bench: setup
	$(BIN)/python benchmarks/run.py

style: setup $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/zizmor --offline --quiet --no-progress --strict-collection --persona=auditor .github

lint: style
	$(BIN)/mypy

# the public names and signatures, which a test compares
api: setup $(VENV)/.test
	$(BIN)/python tests/test_api.py

mutants: setup $(VENV)/.test
	$(BIN)/python tests/mutants.py --jobs $(JOBS) --minutes 30 --seed 0

clean:
	rm -rf _build dist

setup: $(VENV)/.installed

# An environment that is there already is used as it is and never deleted: VENV may name a user's own.
$(VENV)/.requirements: requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' \
	  || { echo "Python 3.11 to 3.14 is needed; $(PYTHON) is another version. Try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python has no venv module. On Debian or Ubuntu: apt install python3-venv"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(BIN)/python -m ensurepip
	$(LOCKED) --requirement requirements.lock
	@$(BIN)/python -c 'import lightgbm' 2>/dev/null \
	  || { echo "LightGBM cannot load OpenMP's library. On Debian or Ubuntu: apt install libgomp1"; exit 1; }
	touch $@

# lib/ goes on the path, so the book's package reproduction is there too, although the wheel has only treebounds
$(VENV)/.installed: pyproject.toml lib/treebounds/__init__.py $(VENV)/.requirements
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

# What the tests, the paper and JupyterLab need besides.
$(VENV)/.test $(VENV)/.paper $(VENV)/.lab: $(VENV)/.%: requirements-%.lock $(VENV)/.requirements
	$(LOCKED) --no-deps --requirement $<
	touch $@
