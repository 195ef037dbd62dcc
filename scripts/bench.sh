#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench.sh BUILD-DIR
#
# Run every benchmark of the build, those of the module (guest_bench_*) in a
# booted kernel. A benchmark prints a line "ratio NAME ...", which ends in
# "short" when the ratio misses its limit; that fails the run.

set -euo pipefail
[ $# = 1 ] || { sed -n '4,8 s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mapfile -t programs < <(find "$1" -name 'bench_*' -type f -executable | sort)
[ ${#programs[@]} -gt 0 ] || { echo "bench.sh: no benchmark below $1" >&2; exit 2; }

status=0
mkdir -p out
for program in "${programs[@]}"; do
	printf '  %-8s %s\n' BENCH "${program##*/}"
	"$program" | tee "out/${program##*/}.txt" || status=1
	! grep -qE '^ratio .* short' "out/${program##*/}.txt" || status=1
done

mapfile -t programs < <(find "$1" -name 'guest_bench_*' -type f -executable | sort)
[ ${#programs[@]} = 0 ] || module=$(scripts/build-module.sh)
for program in "${programs[@]}"; do
	printf '  %-8s %s\n' BENCH "${program##*/}"
	scripts/vm/run.sh --module "$module" --file "$program:/bench" --timeout 300 -- /bench |
		tee "out/${program##*/}.txt" || status=1
	! grep -qE '^ratio .* short' "out/${program##*/}.txt" || status=1
done
exit $status
