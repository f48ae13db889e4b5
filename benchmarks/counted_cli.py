"""The command line as it is, which besides writes the summary of `apikb index` to a file as JSON.

    SUMMARY=FILE python benchmarks/counted_cli.py index click --kb kb.duckdb

The command prints rounded sizes; a benchmark wants bytes.  Like the installed script this is a
file with a guarded main, so that worker processes cost what they cost there.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from apikb.cli import main


def count() -> None:
    """Let the pipeline write down what it returns."""
    from apikb.indexers import pipeline

    real = pipeline.index_projects

    def index_projects(*arguments: Any, **named: Any) -> pipeline.Summary:
        summary = real(*arguments, **named)
        plain = [{**dataclasses.asdict(item), "error": str(item.error or "")} for item in summary.projects]
        Path(os.environ["SUMMARY"]).write_text(json.dumps(plain))
        return summary

    pipeline.index_projects = index_projects


if __name__ == "__main__":
    count()
    main()
