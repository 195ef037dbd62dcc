#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: test.sh debian|debug|long
#
# debian: unit tests on the host, plain, under ASan and UBSan, and under TSan; the
#         fuzzers, seconds each; the self-test of the VM harness; the VM suite in
#         Debian's kernel.
# debug:  the VM suite in the debug kernel, and the self-test of its sanitizers.
# long:   the unit tests and models of the trace engine and of trace files at full
#         length, and the fuzzers, a minute each.
#
# Results lie in out/test/ (out/test-debug/, out/test-long/); results.tsv there lists every test.
# The last line is the count. FILTER narrows the tests of googletest.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"
cd "$top"

[ $# = 1 ] || { usage >&2; exit 2; }
what=$1
case $what in
debian) out=out/test ;;
debug) out=out/test-debug ;;
long) out=out/test-long ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac
rm -rf "$out"
mkdir -p "$out"

filter=()
[ -z "${FILTER-}" ] || filter=(--filter "$FILTER")

# The unit tests to run, and the seconds one may take; at full length they need more.
unit_folders=(tests/unit/)
unit_limit=300
if [ "$what" = long ]; then
	unit_folders=(tests/unit/systrace/)
	unit_limit=3600
	export NDTEL_TEST_LONG=1
fi

# The fuzzers, which have no names that FILTER could mean.
fuzz()
{
	[ -z "${FILTER-}" ] || return 0
	say TEST fuzzers
	scripts/fuzz.sh | tee "$out/fuzz.txt" | sed '$d' || true
}

# unit NAME BUILD-DIR CMAKE-ARGUMENT...: build and run the unit tests.
unit()
{
	local name=$1 dir=$2 log=$out/$1.txt select=() tests=$2 folders=("${unit_folders[@]}")
	shift 2
	# The models change stacks, which sanitizers do not follow.
	[ "$name" != unit ] || folders+=(tests/model/)
	say BUILD "$name"
	scripts/build-user.sh "$dir" "-DNDTEL_TEST_TIMEOUT=$unit_limit" "$@" -- "${folders[@]/%/all}" || {
		touch "$out/$name.unbuilt"
		return 0
	}
	say TEST "$name"
	# One folder is asked for its own tests: the others may not even be built.
	[ "$what" != long ] || tests=$dir/${unit_folders[0]}
	# A filter of googletest is a glob; ctest wants a regular expression.
	[ -z "${FILTER-}" ] || select=(-R "^$(sed 's/\./\\./g; s/\*/.*/g' <<<"$FILTER")\$")
	ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 \
		ctest --test-dir "$tests" -j "${JOBS:-$(nproc)}" --output-on-failure "${select[@]}" \
		--output-junit "$top/$out/$name.junit.xml" \
		--test-output-size-passed 10000000 --test-output-size-failed 10000000 >"$log" 2>&1 ||
		grep -vE '(Passed|Start) ' "$log" | tail -n 100
	[ -e "$out/$name.junit.xml" ] || touch "$out/$name.unbuilt"
}

case $what in
debian)
	unit unit out/user -DNDTEL_STATIC=ON
	# Without optimisation and by clang, which takes half the time of gcc: these builds look for
	# mistakes, and compiling takes far longer than the tests.
	light=(-DNDTEL_BENCH=OFF "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1"
		-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
	unit unit-asan out/asan "-DNDTEL_SANITIZE=address;undefined" "${light[@]}"
	unit unit-tsan out/tsan -DNDTEL_SANITIZE=thread "${light[@]}"
	fuzz
	say TEST "VM harness"
	scripts/selftest.sh | tee "$out/selftest.txt" | sed '$d' || true
	say TEST "VM suite, Debian's kernel"
	mkdir -p "$out/vm-debian"
	scripts/vm/suite.sh --kernel debian --parallel "${JOBS:-$(nproc)}" --out "$out/vm-debian" "${filter[@]}" || true
	;;
debug)
	say TEST "VM suite, debug kernel"
	mkdir -p "$out/vm-debug"
	scripts/vm/suite.sh --kernel debug --out "$out/vm-debug" "${filter[@]}" || true
	say TEST "sanitizers of the debug kernel"
	scripts/selftest.sh --kernel debug | tee "$out/selftest-debug.txt" | sed '$d' || true
	;;
long)
	unit unit-long out/user -DNDTEL_STATIC=ON
	for folder in tests/model/ tests/unit/ntff/ tests/unit/run/; do
		unit_folders=("$folder")
		unit "$(basename "$folder")-long" out/user -DNDTEL_STATIC=ON
	done
	fuzz
	;;
esac
status=0
scripts/collect-results.py "$out" >"$out/summary.txt" || status=1
sed '$d' "$out/summary.txt"
if [ "$what" = debian ] && [ -e Documentation/reference-defects.md ] && [ -z "${FILTER-}" ]; then
	say CHECK "reference defects"
	scripts/check-defects.py Documentation/reference-defects.md "$out/results.tsv" || status=1
fi
tail -n 1 "$out/summary.txt"
exit $status
