"""What tests/, tests/e2e and python/tests share."""
import os
import sys
import time
import unittest

SKIPPED = 77  # the exit status by which ctest knows a skipped test


def wait_until(condition, limit, what):
    """The condition's first true value; an AssertionError that names `what` after `limit` seconds."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {limit:.0f} s: {what}")
        time.sleep(0.02)


def skip(reason):
    """Ends a test that lacks something; in CI, where nothing may be missing, as a failure."""
    print(f"skipped: {reason}")
    sys.exit(1 if os.environ.get("CI") else SKIPPED)


def slow(test):
    """A test that takes long and shows little beyond what others show: only `./zermelo test --all` runs it."""
    return unittest.skipUnless("ZERMELO_TEST_ALL" in os.environ, "runs with `./zermelo test --all`")(test)
