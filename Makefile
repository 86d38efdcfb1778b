# The two commands of the README, `make run` and `make test`, and a few for developers. The work is in scripts/.

CRANE ?= tower_crane
FOR ?=
PORT ?=
PYTHON ?=
ROS ?=
PYTEST_ARGS ?=
VERSION ?=
# Two at a time, in the groups and the order of test/conftest.py; PYTEST_ARGS='-n 0' takes one after the other.
TOGETHER := -n 2 --dist loadscope --no-loadscope-reorder
export PYTHON ROS

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all lint licences package version release bench gallery docs docs-links reference clean
MAKEFLAGS += --no-builtin-rules

help: ## list these targets
	@echo 'make TARGET [CRANE=tower_crane] [FOR=seconds] [PORT=8080] [PYTHON=python3.12] [ROS=jazzy] [PYTEST_ARGS=...]'
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

setup: ## set up .venv and build the messages (run and test do it themselves)
	@scripts/setup run

run: ## simulate CRANE (until Ctrl-C, or FOR seconds) with its page in the browser and its ROS 2 node
	@exec scripts/run "$(CRANE)" "$(FOR)" "$(PORT)"

test: ## run the tests, without the slow ones
	@exec scripts/with_env test pytest $(TOGETHER) -rfEs --durations=25 -m "not slow" $(PYTEST_ARGS)

test-all: ## run all tests, as .github/workflows/weekly.yml does every week
	@exec scripts/with_env test pytest $(TOGETHER) -rfEs $(PYTEST_ARGS)

lint: ## style, types, who may import whom, shell scripts, workflows
	@exec scripts/with_env lint scripts/lint

licences: ## whether every package that the set-up can install has a licence that may be used
	@exec scripts/with_env licences python scripts/licences.py

package: ## build sdist and wheel into build/dist, check them, and try the wheel in an empty environment
	@exec scripts/package

version: ## make the checkout say VERSION, and the changelog that it is of today
	@exec python3 scripts/version.py "$(VERSION)"

release: ## lay the packages of the last commit side by side in build/release, for bloom
	@exec scripts/release

bench: ## run the benchmarks
	@exec scripts/with_env bench cable-sim bench

gallery: ## make the pictures and pages of docs/gallery; what is fresh is kept
	@exec scripts/with_env run cable-sim gallery

docs: ## build the documentation into build/docs; a warning is an error
	@exec scripts/docs

docs-links: ## see whether the links of the documentation to other sites lead somewhere
	@exec scripts/docs linkcheck

reference: ## write the pages of the reference that are made from the sources
	@exec scripts/with_env lint sh -c 'python -m tools.reference && python -m cable_sim.ros.node.parameter_page'

clean: ## remove everything that was made here, .venv included
	rm -rf .venv build install log *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find cable_sim cable_sim_studies test validation -name __pycache__ -prune -exec rm -rf {} +

# Ctrl-C is the ordinary end of `make run`, but make would end with an error of its own. See the file.
ifneq ($(and $(filter run,$(MAKECMDGOALS)),$(filter load,$(.FEATURES))),)
built := $(shell mkdir -p build; { test build/interrupt.so -nt scripts/interrupt.c || \
    cc -shared -fPIC -o build/interrupt.so scripts/interrupt.c; } 2>/dev/null && echo yes)
ifeq ($(built),yes)
-load build/interrupt.so
endif
endif
