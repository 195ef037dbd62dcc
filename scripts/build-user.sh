#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: build-user.sh DIR [CMAKE-ARGUMENT]... [-- TARGET...]
#
# Configure and build user space in DIR, all or the named targets, quietly unless
# V=1 or it fails. Of several builds at once in one DIR each waits for its turn.

set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
[[ $# -gt 0 && $1 != -* ]] || { sed -n '4,7 s/^# \{0,1\}//p' "$0" >&2; exit 2; }
dir=$1
shift
configure=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	configure+=("$1")
	shift
done
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(all)

mkdir -p "$dir"
exec 9>"$dir/.lock"
flock 9

build()
{
	local verbose=()
	[ "${V:-0}" = 0 ] || verbose=(--verbose)
	cmake -S "$top" -B "$dir" -G Ninja "${configure[@]}" &&
		cmake --build "$dir" -j "${JOBS:-$(nproc)}" "${verbose[@]}" --target "${targets[@]}"
}

log=$dir/build.log
if [ "${V:-0}" != 0 ]; then
	build
elif ! build >"$log" 2>&1; then
	# From a failed step to the next one; what CMake says has no such mark.
	awk '/^FAILED:/ { on = 1 } /^\[[0-9]+\/[0-9]+\]/ { on = 0 } on { print; any = 1 }
		END { exit !any }' "$log" | grep -av 'statically linked applications' >&2 ||
		tail -n 40 "$log" >&2
	echo "build-user.sh: the build in $dir failed; the whole log is $log" >&2
	exit 1
fi
