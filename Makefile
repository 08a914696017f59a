# One door: people and CI use the same.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TRANSLATIONS := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/*.po))

# One pytest process knows one settings module and one database. The longest comes first: two run side by side.
RUNS := loop cloud-mariadb cloud-sqlite onprem-mariadb onprem-sqlite pure
LANES ?= 2

# Enough of a production site for Django's deploy check. Nothing is reached and nothing is written.
AS_DEPLOYED := SECRET_KEY=no-secret-it-stands-in-the-makefile-for-all-to-read-0123456789 HTTPS_ONLY=True DEBUG=False \
    ALLOWED_HOSTS=att.example.com ATTSYNC_KEY=no-secret-either-0123456789abcdefghijklmnop DATABASE_URL=sqlite://:memory: \
    ATTSYNC_PASSWORD=nor-this-one BEHIND_TLS_PROXY=True CACHE_URL= ATTSYNC_TRUSTED_PROXIES=127.0.0.1
AS_CLOUD := DJANGO_SETTINGS_MODULE=attsync_site.settings $(AS_DEPLOYED)
AS_FACTORY := DJANGO_SETTINGS_MODULE=onprem.settings LEGACY_DATABASE_URL=sqlite://:memory: \
    ATTSYNC_URL=https://att.example.com/att-sync ATTSYNC_KEY=no-secret-either-0123456789abcdefghijklmnop

help: ## What there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/ready-to-run $(TRANSLATIONS) ## The whole loop on this machine, with a simulated factory (PORT=, HOST=, DATABASE_URL=)
	@HOST='$(HOST)' PORT='$(PORT)' exec $(BIN)/python deploy/demo.py

install: .venv/ready-to-run $(TRANSLATIONS) ## What demo and run need: packages, .venv, translations

run: .venv/ready-to-run $(TRANSLATIONS) ## The cloud as in production: settings from the environment or .env (PORT=, HOST=)
	@$(BIN)/python manage.py migrate --noinput
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@exec $(BIN)/granian --interface wsgi --host '$(HOST)' --port '$(PORT)' --blocking-threads 16 \
	    --workers-kill-timeout 5 attsync_site.wsgi:application

test: .venv/ready-to-test ## All tests: SQLite, a throwaway MariaDB, a real browser
	@echo 'Runs of pytest: $(RUNS). Each prints what it found when it ends; make test-<run> shows one at work.'
	@$(MAKE) --no-print-directory --keep-going --jobs=$(LANES) --output-sync=target $(addprefix test-,$(RUNS))

test-pure: WHAT := tests/pure tests/project
test-cloud-sqlite: WHAT := tests/cloud --database=sqlite
test-cloud-mariadb: WHAT := tests/cloud --database=mariadb
test-onprem-sqlite: WHAT := tests/onprem --database=sqlite
test-onprem-mariadb: WHAT := tests/onprem --database=mariadb
test-loop: WHAT := tests/loop
$(addprefix test-,$(RUNS)): .venv/ready-to-test $(TRANSLATIONS)
	@printf '\n== pytest %s\n' '$(WHAT)'
	@$(BIN)/python -m pytest $(WHAT)

check: .venv/ready-to-test $(TRANSLATIONS) ## Lint, format, types, import contracts, deploy check, migrations, translations
	$(BIN)/ruff check --output-format=concise .
	$(BIN)/ruff format --check .
	@$(AS_CLOUD) $(BIN)/mypy --cache-dir=.mypy_cache/cloud attsync_site mirror editqueue dashboard deploy manage.py \
	    tests/*.py tests/pure tests/project tests/cloud tests/loop $(wildcard bench)
	@$(AS_FACTORY) $(BIN)/mypy --cache-dir=.mypy_cache/onprem onprem tests/onprem
	$(BIN)/lint-imports --no-logo
	@$(AS_CLOUD) $(BIN)/python manage.py check --deploy --fail-level WARNING
	@$(AS_CLOUD) $(BIN)/python manage.py makemigrations --check --dry-run
	@$(AS_FACTORY) $(BIN)/python manage.py check --fail-level WARNING

bench: .venv/ready-to-test $(TRANSLATIONS) ## Measure speed and size, as a table
	@exec $(BIN)/python -m bench

screenshots: .venv/ready-to-test $(TRANSLATIONS) ## The pictures in docs/screens, of an invented factory
	@exec $(BIN)/python -m tests.loop.screenshots

# --- what the above stand on ---

.venv/ready-to-run: requirements.txt onprem/requirements.txt | $(BIN)/python
	@deploy/debian-packages run
	@$(PIP) -r requirements.txt -r onprem/requirements.txt
	@touch $@

.venv/ready-to-test: tests/requirements.txt requirements.txt onprem/requirements.txt | $(BIN)/python
	@deploy/debian-packages test
	@$(PIP) -r tests/requirements.txt
	@touch $@

$(BIN)/python:
	@deploy/debian-packages run
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, for instance: make PYTHON=python3.12")'
	@$(PYTHON) -m venv .venv

%.mo: %.po
	@msgfmt --check-format --check-domain --output-file=$@ $<

.PHONY: help demo install run test check bench screenshots $(addprefix test-,$(RUNS))
