"""Arguments that several certificates have."""

import subprocess
import sys


def test_delta_is_checked_where_a_program_calls_from_no_function():
    program = "from treebounds.risk.checks import check_delta; check_delta(0.95)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "delta=0.05 is usual" in done.stderr
