"""A PostgreSQL server of our own for the tests, on a Unix socket; works for root and for others."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder of initdb and postgres, newest version first."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    here = shutil.which("initdb")
    return found[-1].parent if found else (Path(here).parent if here else None)


def why_not() -> str | None:
    """The reason why there can be no server here, or None."""
    if programs() is None:
        return "no PostgreSQL server is installed"
    if os.geteuid() == 0 and "postgres" not in {one.pw_name for one in pwd.getpwall()}:
        return "PostgreSQL does not run as root and there is no user postgres"
    return None


@contextmanager
def server():
    """Start a server; gives a function that makes a new database and returns its URL."""
    base = Path(tempfile.mkdtemp(prefix="triptych-pg-"))
    other: dict = {"cwd": base}
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(base, user.pw_uid, user.pw_gid)
        other |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    folder, data = programs(), base / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(
        [folder / "initdb", "-D", data, "-U", "test", "-A", "trust", "-N", "-E", "UTF8", "--no-locale"],
        check=True,
        **other,
        **quiet,
    )
    running = subprocess.Popen(
        [folder / "postgres", "-D", data, "-k", base, "-h", "", "-F", "-c", "full_page_writes=off"],
        **other,
        **quiet,
    )
    made = iter(range(1_000_000))

    def new_database() -> str:
        name = f"t{next(made)}"
        create = [folder / "createdb", "-h", base, "-U", "test", "-T", "template0", name]
        subprocess.run(create, check=True, **other, **quiet)
        return f"postgresql://test@/{name}?host={base}"

    try:
        for _ in range(200):
            ready = subprocess.run([folder / "pg_isready", "-h", base], check=False, **other, **quiet)
            if ready.returncode == 0:
                break
            time.sleep(0.05)
        yield new_database
    finally:
        running.send_signal(signal.SIGQUIT)  # at once: nothing here is to be kept
        running.wait(20)
        shutil.rmtree(base)
