import multiprocessing
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture
def quick():
    """Under sanitizers: fewer rounds."""
    return bool(os.environ.get("BATT_TEST_QUICK"))


@pytest.fixture(scope="session")
def semaphores():
    """Whether processes can share locks: not where /dev/shm is missing or closed to this user, as in a bare chroot."""
    try:
        multiprocessing.Lock()
    except OSError:
        return False
    return True
