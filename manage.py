#!/usr/bin/env python
"""One door for both sides: the settings module comes from the environment, else from `.env`, else it is the cloud's."""

import os
import sys
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    environ.Env.read_env(Path(__file__).resolve().parent / ".env")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "attsync_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as exc:
        # A setting that makes no sense is for the reader to correct: words, no traceback.
        sys.stderr.write(f"{exc}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
