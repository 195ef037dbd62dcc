#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collect test results into one table and print the final count.

usage: collect-results.py OUT-DIR

Reads below OUT-DIR
  *.junit.xml     from ctest, one file a build; the suite is named like the file
  *.unbuilt       a build of that name failed or ctest did, so its tests are missing
  selftest*.txt, fuzz.txt
                  lines "ok NAME" and "FAIL NAME"
  vm-*/           what scripts/vm/suite.sh leaves
and writes OUT-DIR/results.tsv (suite, test, pass|fail|skip). The last line
printed is the count; the exit status is 1 when a test failed or none ran.

A program that ends badly without a failing test, a guest that crashes and a
kernel that complains are failures of their own, so that nothing gets lost.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree

GTEST_LINE = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([\w/]+\.[\w/]+)(?:, .*)?(?: \(\d+ ms\))?$")
JUDGEMENT = {
    1: "the guest's command failed",
    3: "kernel panic",
    4: "time-out",
    5: "kernel complaint",
    6: "no verdict",
    7: "QEMU failed",
}


def from_console(lines):
    """The results googletest printed; a test that began and never ended failed."""
    results = {}
    for line in lines:
        match = GTEST_LINE.match(line)
        if not match:
            continue
        what, test = match.groups()
        results[test] = {"RUN": "fail", "OK": "pass", "FAILED": "fail", "SKIPPED": "skip"}[what]
    return results


def from_gtest_json(path):
    """The results in a file of googletest; None when it cannot be read."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    results = {}
    for suite in report.get("testsuites", []):
        for test in suite.get("testsuite", []):
            name = f"{suite['name']}.{test['name']}"
            if test.get("failures"):
                results[name] = "fail"
            elif test.get("result") == "SKIPPED":
                results[name] = "skip"
            elif test.get("status") == "RUN":
                results[name] = "pass"
    return results


def from_junit(path):
    """ctest ran googletest cases one by one, or whole programs that printed them."""
    results = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        inner = from_console((case.findtext("system-out") or "").splitlines())
        status = case.get("status")
        bad = status == "fail" or case.find("failure") is not None
        if not bad and status != "run":
            inner = {}
        if inner:
            results.update(inner)
            if bad and "fail" not in inner.values():
                results[case.get("name")] = "fail"
        else:
            results[case.get("name")] = "fail" if bad else "pass" if status == "run" else "skip"
    return results


def from_selftest(path):
    results = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, name = line.partition(" ")
        if word in ("ok", "FAIL") and name:
            results[name.strip()] = "pass" if word == "ok" else "fail"
    return results or {"(not run)": "fail"}


def from_boot(folder, code):
    """One boot of the suite: each program's own file, else its console lines."""
    text = ""
    console = folder / "console.txt"
    if console.exists():
        text = console.read_text(encoding="utf-8", errors="replace").replace("\r", "")
    results = {}
    for part in re.split(r"^ndtel-vm: begin ", text, flags=re.MULTILINE)[1:]:
        name, *lines = part.splitlines()
        end = next((l for l in lines if l.startswith(f"ndtel-vm: end {name} status ")), None)
        mine = from_gtest_json(folder / "files" / f"{name}.json") if end else None
        if mine is None:
            mine = from_console(lines)
        ended_well = end is not None and end.endswith(" status 0")
        if not ended_well and "fail" not in mine.values():
            mine[f"{name} (process)"] = "fail"
        results.update(mine)
    explained = code == 0 or (code == 1 and "fail" in results.values())
    if not explained:
        results[f"{folder.name} ({JUDGEMENT.get(code, f'status {code}')})"] = "fail"
    return results


def shown(folder, test):
    """What a failed test of the guest printed: the last lines between its name and its end."""
    for console in sorted(folder.glob("boot*/console.txt")):
        text = console.read_text(encoding="utf-8", errors="replace").replace("\r", "")
        match = re.search(rf"^\[ RUN      \] {re.escape(test)}$\n(.*?)^\[  FAILED  \]", text,
                          flags=re.MULTILINE | re.DOTALL)
        if match:
            return match.group(1).splitlines()[-40:]
    return []


def from_vm(folder):
    results = {}
    status = folder / "status"
    if not status.exists():
        return {"(not run)": "fail"}
    for line in status.read_text(encoding="utf-8").splitlines():
        name, code = line.split("\t")
        results.update(from_boot(folder / name, int(code)))
    begun = {n for p in folder.glob("boot*/programs") for n in p.read_text().split()}
    for name in sorted(begun):
        if not any(f"ndtel-vm: begin {name}" in c.read_text(errors="replace")
                   for c in folder.glob("boot*/console.txt")):
            results[f"{name} (never ran)"] = "fail"
    return results or {"(no test ran)": "fail"}


def main(out):
    suites = {}
    for path in sorted(out.glob("*.junit.xml")):
        suites[path.name.removesuffix(".junit.xml")] = from_junit(path)
    for path in sorted(out.glob("*.unbuilt")):
        suites[path.stem] = {"(build)": "fail"}
    for path in sorted([*out.glob("selftest*.txt"), *out.glob("fuzz.txt")]):
        suites[path.stem] = from_selftest(path)
    for folder in sorted(p for p in out.glob("vm-*") if p.is_dir()):
        suites[folder.name] = from_vm(folder)

    count = {"pass": 0, "fail": 0, "skip": 0}
    with open(out / "results.tsv", "w", encoding="utf-8") as table:
        for suite, results in suites.items():
            for test, result in sorted(results.items()):
                table.write(f"{suite}\t{test}\t{result}\n")
                count[result] += 1
                if result == "fail":
                    print(f"  FAIL     {suite}: {test}")
                    for line in shown(out / suite, test):
                        print(f"  | {line}")
    skipped = f", {count['skip']} skipped" if count["skip"] else ""
    print(f"{count['pass']} passed, {count['fail']} failed{skipped}")
    return 1 if count["fail"] or not count["pass"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
