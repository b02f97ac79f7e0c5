# Everything runs from .venv, which is made on first use. Needs python3 (3.11 or newer) with pip and venv.
#   make run     start the service, ask it for a move in an example of each variant, stop it
#   make serve   the service in the foreground on 127.0.0.1:50051
#   make test    the tests        make lint    formatting, style and types
#   make bench   the benchmarks   make proto   the generated code of the contract
#   make kernels compiles the engine into the cache, which else happens on first use
# Options for a tool: make test ARGS="-k service"

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,\
	$(shell $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PROTO_TOOLS := build/proto-tools
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run serve test lint kernels bench proto

help:
	@sed -n 's/^# \{0,1\}//p' Makefile | head -n 7

install: $(INSTALLED)

$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Installing into $(VENV), once"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: $(INSTALLED)
	@$(BIN)/tarocchi demo $(ARGS)

serve: $(INSTALLED)
	@exec $(BIN)/tarocchi serve --address 127.0.0.1:50051 $(ARGS)

test: $(INSTALLED)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal $(ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

kernels: $(INSTALLED)
	@$(BIN)/tarocchi warm-up

bench: $(INSTALLED)
	@$(BIN)/python -m tarocchi_bench $(or $(ARGS),all)

# The compiler lives apart, because it needs an older protobuf than the one that the tests run with.
$(PROTO_TOOLS)/.installed: pyproject.toml $(INSTALLED)
	@"$(PYTHON)" -m venv $(PROTO_TOOLS)
	@$(PROTO_TOOLS)/bin/python -m pip install --quiet --quiet --disable-pip-version-check \
		$$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["proto"])')
	@touch $@

proto: $(PROTO_TOOLS)/.installed
	$(PROTO_TOOLS)/bin/python proto/generate.py $(ARGS)
