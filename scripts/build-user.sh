#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: build-user.sh DIR [CMAKE-ARGUMENT]...
#
# Configure and build user space in DIR, quietly unless V=1 or it fails.

set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '4,6 s/^# \{0,1\}//p' "$0" >&2; exit 2; }
dir=$1
shift
mkdir -p "$dir"
log=$dir/build.log

build()
{
	local verbose=()
	[ "${V:-0}" = 0 ] || verbose=(--verbose)
	cmake -S "$top" -B "$dir" -G Ninja "$@" &&
		cmake --build "$dir" -j "${JOBS:-$(nproc)}" "${verbose[@]}"
}

if [ "${V:-0}" != 0 ]; then
	build "$@"
elif ! build "$@" >"$log" 2>&1; then
	grep -avE '^(\[[0-9]+/[0-9]+\]|--)' "$log" >&2 || cat "$log" >&2
	echo "build-user.sh: the build in $dir failed; the whole log is $log" >&2
	exit 1
fi
