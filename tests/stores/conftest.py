import importlib.util
from pathlib import Path

import pytest

_HERE = Path(__file__).with_name("postgres.py")


def _postgres():
    spec = importlib.util.spec_from_file_location("triptych_tests_postgres", _HERE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def postgres_server():
    postgres = _postgres()
    reason = postgres.why_not()
    if reason is not None:
        pytest.skip(reason)
    pytest.importorskip("asyncpg")
    with postgres.server() as new_database:
        yield new_database


@pytest.fixture
def postgres_url(postgres_server):
    return postgres_server()
