#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the toolkit, remembering which inputs were clean.

usage: tidy.py BUILD-DIR CACHE-DIR < LIST-OF-FILES

A file takes clang-tidy five to fifteen seconds. One whose preprocessed text,
flags and checks have been found clean before is not looked at again. Files that
the build does not compile are passed over: without a command line there is
nothing to check them with. Exit status 1 when there was a finding.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

# The analyzer costs as much as all the rest and has little to say about tests.
CHECKS = {"tests": "-clang-analyzer-*"}


def preprocess(entry):
    """The text the compiler sees, without the output options of its command."""
    command = entry.get("arguments") or shlex.split(entry["command"])
    kept, skip = [], False
    for word in command:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif word not in ("-c", "-MD", "-MMD"):
            kept.append(word)
    done = subprocess.run(kept + ["-E", "-P"], cwd=entry["directory"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return " ".join(kept).encode() + done.stdout if done.returncode == 0 else None


def key_of(entry, checks, common):
    text = preprocess(entry)
    if text is None:
        return None
    source = pathlib.Path(entry["directory"], entry["file"]).read_bytes()
    return hashlib.sha256(common + checks.encode() + source + text).hexdigest()[:32]


def main(build, cache):
    top = os.getcwd()
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        entries = {os.path.relpath(os.path.join(e["directory"], e["file"]), top): e
                   for e in json.load(file)}
    wanted = [name for name in sys.stdin.read().split() if name in entries]
    if not wanted:
        sys.exit("tidy.py: the build compiles none of the given files")
    cache.mkdir(parents=True, exist_ok=True)
    common = pathlib.Path(".clang-tidy").read_bytes() + subprocess.run(
        ["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout

    def tidy(name):
        checks = CHECKS.get(name.split("/", 1)[0], "")
        key = key_of(entries[name], checks, common)
        if key and (cache / key).exists():
            return ""
        done = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", f"--checks={checks}", name],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0 and not done.stdout.strip():
            if key:
                (cache / key).touch()
            return ""
        return done.stdout or done.stderr

    findings = False
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        for output in pool.map(tidy, wanted):
            if output:
                findings = True
                print(output, end="")
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
