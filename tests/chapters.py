"""The chapters of the book, whose headers are read once for all tests."""

from pathlib import Path

import execute

NOTEBOOKS = execute.discover(Path(__file__).resolve().parents[1] / "notebooks")
