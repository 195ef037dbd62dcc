#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: fuzz.sh [--seconds N] [NAME]...
#
# Build the fuzzers of tests/fuzz, all or the named ones, and run each for N seconds
# (5, or 60 for what reads files and with NDTEL_TEST_LONG=1) under ASan and UBSan.
# Prints "ok fuzz_NAME" or "FAIL fuzz_NAME" for each, then the count.
#
# What they find interesting is kept in out/fuzz/corpus/NAME and used again; inputs
# that break something are in out/fuzz/broken.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"
cd "$top"

seconds=
[ "${NDTEL_TEST_LONG:-0}" = 0 ] || seconds=60
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) seconds=${2-}; shift 2 || die "--seconds needs a number" ;;
	-h|--help) usage; exit 0 ;;
	-*) usage >&2; exit 2 ;;
	*) break ;;
	esac
done
[[ $seconds =~ ^([1-9][0-9]*)?$ ]] || die "--seconds is a number, not '$seconds'"

names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(cd tests/fuzz && printf '%s\n' fuzz_*.cc | sed 's/^fuzz_//; s/\.cc$//')
for name in "${names[@]}"; do
	[ -f "tests/fuzz/fuzz_$name.cc" ] || die "there is no fuzzer '$name'"
done

out=out/fuzz
scripts/build-user.sh "$out" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DNDTEL_FUZZ=ON \
	-DNDTEL_TESTS=OFF -DNDTEL_BENCH=OFF "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
	-- "${names[@]/#/fuzz_}" || {
	printf 'FAIL fuzz_%s\n' "${names[@]}"
	echo "0 passed, ${#names[@]} failed"
	exit 1
}

# Files come from anywhere: what reads them gets more time.
seconds_of()
{
	case $1 in
	env|ntff|pb) echo "${seconds:-60}" ;;
	*) echo "${seconds:-5}" ;;
	esac
}

# fuzz NAME: run one; its end is the last line of its log.
fuzz()
{
	local name=$1 log=$out/$1.log seeds=("$out/corpus/$1") verdict=FAIL
	mkdir -p "$out/corpus/$name" "$out/broken"
	[ ! -d "tests/fuzz/corpus/$name" ] || seeds+=("tests/fuzz/corpus/$name")
	if UBSAN_OPTIONS=print_stacktrace=1 "$out/bin/fuzz_$name" "-max_total_time=$(seconds_of "$name")" \
		-timeout=20 -rss_limit_mb=1024 "-artifact_prefix=$out/broken/$name-" \
		-print_final_stats=1 "${seeds[@]}" >"$log" 2>&1 &&
		[ "$(awk '/^stat::number_of_executed_units/ { print $2 }' "$log")" -gt 0 ]; then
		verdict=ok
	fi
	echo "$verdict fuzz_$name" >>"$log"
}

# As many at a time as there are processors.
for name in "${names[@]}"; do
	while [ "$(jobs -pr | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
	fuzz "$name" &
done
wait

good=0 bad=0
for name in "${names[@]}"; do
	verdict=$(tail -n 1 "$out/$name.log")
	echo "$verdict"
	if [ "$verdict" = "ok fuzz_$name" ]; then
		good=$((good + 1))
	else
		tail -n 40 "$out/$name.log" | sed 's/^/  | /'
		bad=$((bad + 1))
	fi
done
echo "$good passed, $bad failed"
[ $bad = 0 ]
