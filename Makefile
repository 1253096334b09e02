# planrail: what a person or a CI job types. Works in a path with spaces (every path here is relative), without a
# network after the first run, and uses nothing newer than GNU make 3.81, which is what macOS has.

# The interpreter to build .venv with. Unset: the .venv that is there, else the first of these that is new enough.
PYTHON ?=
PYTHONS := python3 python3.13 python3.12 python3.11

# Handed to the program that a target runs: make test ARGS="-k tracker -x"
ARGS ?=

# Modules found through these would hide what .venv lacks.
unexport PYTHONHOME PYTHONPATH

.DEFAULT_GOAL := help
.NOTPARALLEL: # the targets share one .venv
.PHONY: help demo test test-all stories lint check soak bench bench-peers lock clean run-venv dev-venv lock-venv

help: ## show this list
	@echo 'make TARGET [ARGS="..."] [PYTHON=python3.12]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

demo: run-venv ## the whole life of a plan in a temporary repository
	@.venv/bin/planrail demo $(ARGS)

test: dev-venv ## what an edit needs: a sample of the tests that are made of processes, and all others
	@.venv/bin/python -m pytest --ignore tests/e2e $(ARGS)

test-all: dev-venv ## all tests, without the long suites and the stories
	@.venv/bin/python -m pytest --ignore tests/e2e -m "not soak" $(ARGS)

stories: dev-venv ## whole stories with the real Claude Code and Codex, installed into .agents by npm
	@.venv/bin/python -m pytest tests/e2e $(ARGS)

lint: dev-venv ## ruff, the formatter's opinion, mypy, the direction of imports
	@.venv/bin/python -m ruff check
	@.venv/bin/python -m ruff format --check
	@.venv/bin/python -m mypy
	@.venv/bin/lint-imports --no-logo

check: lint test ## lint and test

soak: dev-venv ## the suites that run for minutes
	@.venv/bin/python -m pytest -m soak $(ARGS)

bench: run-venv ## measure planrail
	@.venv/bin/python bench/run.py $(ARGS)

bench-peers: run-venv ## install the programs that planrail is measured beside, into .peers
	@.venv/bin/python bench/peers.py install $(ARGS)

# Pins that still fit are kept; ARGS=--upgrade takes the newest, ARGS="--upgrade-package ruff" the newest of one.
# All three hold for every supported Python and platform, and name no index: whoever installs chooses it.
LOCK = .venv/bin/python -m uv pip compile --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes \
	--custom-compile-command 'make lock' $(ARGS)
lock: lock-venv ## write requirements/*.txt from pyproject.toml
	@$(LOCK) pyproject.toml --group build --output-file requirements/run.txt
	@$(LOCK) pyproject.toml --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
	@$(LOCK) --group lock --constraint requirements/run.txt --output-file requirements/lock.txt
	@! grep -n -E '://|^-|^/' requirements/*.txt

clean: ## remove .venv, caches and build outputs (.peers and .agents stay)
	@rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage htmlcov
	@find . -name .git -prune -o -name .peers -prune -o -name .agents -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

# ---- .venv ----
# requirements/run.txt is what planrail needs to run, with the build backend; dev.txt adds the tools. Notes in .venv
# say what was done, so that pip is called again only when a lock file or pyproject.toml has changed:
#   made-in        the folder; scripts in .venv hold its absolute path and break when the checkout is moved or copied
#   made-with      the PYTHON that was asked for
#   installed-SET  checksums of what SET was installed from (dev contains run, and writes its note as well)

run-venv dev-venv lock-venv: %-venv:
	@if ! { $(venv_stands) && $(call installed,$*); }; then \
	    echo "make: setting up .venv from requirements/$*.txt; later runs need no network" >&2; \
	    { $(venv_stands) || { $(new_venv); }; } || exit 1; \
	    { $(call install,$*); } || { echo "make: pip failed, see above; the first run needs its index" >&2; exit 1; }; \
	fi
	@.venv/bin/python -m compileall -q src # as an installed wheel is: compiling at each start costs more than planrail

venv_stands = .venv/bin/python -c '' 2>/dev/null \
	&& [ "$$(cat .venv/made-in 2>/dev/null)" = "$$(pwd -P)" ] \
	&& { [ -z '$(PYTHON)' ] || [ "$$(cat .venv/made-with 2>/dev/null)" = '$(PYTHON)' ]; }

inputs = cksum requirements/$(1).txt pyproject.toml
installed = [ "$$(cat .venv/installed-$(1) 2>/dev/null)" = "$$($(call inputs,$(1)))" ]

# -qq: errors only.
pip_install = .venv/bin/python -m pip install -qq --disable-pip-version-check --no-input
install = $(pip_install) --require-hashes -r requirements/$(1).txt \
	&& $(pip_install) --no-deps --no-build-isolation -e . \
	&& { [ $(1) != dev ] || $(call inputs,run) >.venv/installed-run; } \
	&& $(call inputs,$(1)) >.venv/installed-$(1)

# The interpreter behind an active environment is used (_base_executable), since that one may be the .venv that goes.
# Each candidate is run, because a version manager's stand-in may be on the PATH without a Python behind it.
new_venv = \
	for candidate in $(if $(PYTHON),'$(PYTHON)',$(PYTHONS)); do \
	    python=$$("$$candidate" -c '$(new_enough)' 2>/dev/null) && break; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "make: planrail needs Python 3.11 or newer; tried: $(or $(PYTHON),$(PYTHONS))." >&2; \
	    echo "make: install one, or say where it is: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; \
	    exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "make: $$python has no venv module. On Debian or Ubuntu: sudo apt install python3-venv" >&2; \
	    echo "make: or choose another Python: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; \
	    exit 1; \
	fi; \
	rm -rf .venv && "$$python" -m venv --prompt planrail .venv \
	    && pwd -P >.venv/made-in && echo '$(PYTHON)' >.venv/made-with
new_enough = import sys; sys.version_info < (3, 11) and sys.exit(1); print(sys._base_executable)
