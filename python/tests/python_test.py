#!/usr/bin/env python3
"""Runs every test of the Python package: all test_*.py beside this file."""
import pathlib
import sys
import unittest

if __name__ == "__main__":
    here = str(pathlib.Path(__file__).resolve().parent)
    sys.path.insert(0, here)
    suite = unittest.defaultTestLoader.discover(here)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
