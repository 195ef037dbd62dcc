#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: suite.sh [--kernel debian|debian-6.12|debug] [--filter PATTERN]
#                 [--limit SECONDS] [--out DIR] [--programs DIR]
#                 [--parallel GUESTS] [NAME]...
#
# Build what is out of date and run the programs vm_* (all, or the named ones) in
# a booted kernel, with both modules at / and the tools in /bin. A program has
# --limit seconds (default 120; debug 1200). When a crash takes the guest down, the
# programs that had no turn yet get another boot. --programs runs those of DIR as
# they are, without building anything. --parallel divides the programs among so
# many guests at a time; a guest keeps one processor busy.
#
# Results: DIR/bootN holds the logs and files/*.json, DIR/status the exit status
# of each boot. Exit status 0 when every boot passed, else that of the first that
# did not (judge.sh lists them).

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$here/common.sh"

kernel=debian filter='*' limit='' out='' folder='' guests=1
while [ $# -gt 0 ]; do
	case $1 in
	-h|--help) usage; exit 0 ;;
	--kernel) kernel=$2 ;;
	--filter) filter=$2 ;;
	--limit) limit=$2 ;;
	--out) out=$2 ;;
	--programs) folder=$2 ;;
	--parallel) guests=$2 ;;
	-*) usage >&2; exit 2 ;;
	*) break ;;
	esac
	shift 2
done
out=${out:-$top/out/test/vm-$kernel}
[ "$kernel" != debug ] || limit=${limit:-1200}
limit=${limit:-120}

options=(--kernel "$kernel")
if [ -z "$folder" ]; then
	say BUILD user
	targets=(ndtel tests/vm/all)
	[ $# = 0 ] || targets=(ndtel "$@")
	"$top/scripts/build-user.sh" "$top/out/user" -DNDTEL_STATIC=ON -- "${targets[@]}"
	for namespace in ndtel neuron; do
		module=$("$top/scripts/build-module.sh" --kernel "$kernel" --namespace $namespace)
		options+=(--module "$module")
		# Built on kernels with KUnit only; the core is the same under both names.
		kunit=${module%.ko}_core_kunit.ko
		[ $namespace != ndtel ] || [ ! -e "$kunit" ] || options+=(--module "$kunit")
	done
	while read -r tool; do
		options+=(--file "$tool:/bin/${tool##*/}")
	done < <(find "$top/out/user" -name ndtel -type f -executable)
	folder=$top/out/user
fi

declare -A programs
while read -r program; do
	programs[${program##*/}]=$program
done < <(find "$folder" -name 'vm_*' -type f -executable)
if [ $# -gt 0 ]; then
	remaining=("$@")
else
	mapfile -t remaining < <(printf '%s\n' "${!programs[@]}" | sed '/^$/d' | sort)
fi
[ ${#remaining[@]} -gt 0 ] || die "no program vm_* below $folder"
for name in "${remaining[@]}"; do
	[ -n "${programs[$name]-}" ] || die "no test program $name below $folder"
done

rm -rf "$out"
mkdir -p "$out"

# boots FIRST STEP NAME...: run the programs in boots FIRST, FIRST + STEP and so on.
boots()
{
	local boot=$1 step=$2 status=0 code dir name tests remaining waiting
	shift 2
	remaining=("$@")
	for ((; ${#remaining[@]} > 0; boot += step)); do
		tests=()
		for name in "${remaining[@]}"; do
			tests+=(--file "${programs[$name]}:/tests/$name")
		done
		dir=$out/boot$boot
		mkdir -p "$dir"
		printf '%s\n' "${remaining[@]}" >"$dir/programs"
		code=0
		"$here/run.sh" "${options[@]}" "${tests[@]}" --out "$dir" \
			--timeout $((120 + limit * ${#remaining[@]})) -- run-suite "$limit" "$filter" || code=$?
		printf 'boot%d\t%d\n' "$boot" $code >>"$out/status"
		[ $status != 0 ] || status=$code

		# Who has begun has had its turn.
		waiting=()
		for name in "${remaining[@]}"; do
			grep -aqx "ndtel-vm: begin $name" "$dir/console.txt" || waiting+=("$name")
		done
		# A guest that does not even start the first one will not do so next time.
		[ ${#waiting[@]} -lt ${#remaining[@]} ] || break
		remaining=("${waiting[@]}")
	done
	return $status
}

status=0
running=()
for ((guest = 0; guest < guests; guest++)); do
	mine=()
	for ((i = guest; i < ${#remaining[@]}; i += guests)); do
		mine+=("${remaining[i]}")
	done
	[ ${#mine[@]} -gt 0 ] || break
	boots $((guest + 1)) "$guests" "${mine[@]}" &
	running+=($!)
done
for pid in "${running[@]}"; do
	wait "$pid" || status=$?
done
exit $status
