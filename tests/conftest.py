"""Equipment may be missing on somebody's machine; in CI it may not: there a skip for want of it is a failure."""

import os
import re

import pytest

EQUIPMENT = re.compile(
    r"no Chromium|page is not built|could not import|weights are not installed|Node is not|aimock could not"
    r"|vectors|PostgreSQL|postgres|initdb",
    re.IGNORECASE,
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if EQUIPMENT.search(reason):
            report.outcome = "failed"
            report.longrepr = f"CI has to have everything: {reason}"
    return report
