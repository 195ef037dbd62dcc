#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that each known defect of the reference has a test that ran and passed.

usage: check-defects.py DOCUMENT RESULTS.tsv

DOCUMENT holds a table with the columns id, test and note. The test cell names
one or more tests as `Suite.Name`, or says "cannot occur: REASON", where the
reason is one the compiler or a static check enforces. "debug kernel:" before
the tests allows that they were skipped: they need what only that kernel has.
RESULTS is what collect-results.py wrote: suite, test, pass|fail|skip.
"""

import re
import sys

WANTED = (
    [f"ABI-{n}" for n in range(1, 26)]
    + [f"K{n}" for n in range(1, 27)]
    + [f"F{n}" for n in range(1, 23)]
    + [f"S-{n}" for n in range(1, 24)]
)
IMPOSSIBLE = "cannot occur:"
DEBUG_KERNEL = "debug kernel:"
MOST_IMPOSSIBLE = 12


def read_table(path):
    """The rows of the table as {id: test cell}, and what is wrong with them."""
    rows, problems = {}, []
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.lstrip().startswith("|") or not re.fullmatch(r"(ABI-|K|F|S-)\d+", cells[0]):
                continue
            if len(cells) < 2:
                problems.append(f"{path}:{number}: {cells[0]} has no test cell")
            elif cells[0] in rows:
                problems.append(f"{path}:{number}: {cells[0]} stands there twice")
            else:
                rows[cells[0]] = cells[1]
    return rows, problems


def read_results(path):
    """{test: set of results}: one test may run in several suites."""
    results = {}
    with open(path, encoding="utf-8") as table:
        for line in table:
            _, test, result = line.rstrip("\n").split("\t")
            results.setdefault(test, set()).add(result)
    return results


def check(rows, results):
    problems, impossible = [], 0
    for defect in WANTED:
        cell = rows.get(defect)
        if cell is None:
            problems.append(f"{defect}: no row")
        elif cell.startswith(IMPOSSIBLE):
            impossible += 1
            if not cell[len(IMPOSSIBLE):].strip():
                problems.append(f"{defect}: 'cannot occur' without a reason")
        else:
            tests = re.findall(r"`([^`]+)`", cell)
            if not tests:
                problems.append(f"{defect}: the cell names no test: {cell!r}")
            for test in tests:
                seen = results.get(test)
                if seen is None:
                    problems.append(f"{defect}: {test} did not run")
                elif "fail" in seen:
                    problems.append(f"{defect}: {test} failed")
                elif "pass" not in seen and not cell.startswith(DEBUG_KERNEL):
                    problems.append(f"{defect}: {test} was skipped")
    for defect in sorted(set(rows) - set(WANTED)):
        problems.append(f"{defect}: no such defect id")
    if impossible > MOST_IMPOSSIBLE:
        problems.append(f"{impossible} rows say 'cannot occur', {MOST_IMPOSSIBLE} may")
    return problems


def main(document, table):
    try:
        rows, problems = read_table(document)
        problems += check(rows, read_results(table))
    except (OSError, ValueError) as error:
        sys.exit(f"check-defects.py: {error}")
    for problem in problems:
        print(f"  DEFECT   {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
