#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: kmod-matrix.sh [SERIES]...
#
# Build the module from nothing, under both names, for kernels from the oldest
# supported one to the newest that Debian has: 5.10 6.1 6.12 newest, or the
# named ones. Any warning fails the build it comes from; all are tried.
#
# The compiler is this machine's, whatever built the kernel. What that needs is
# in compiler_arguments below and nowhere else; no warning is switched off.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"

case ${1-} in
-h|--help) usage; exit 0 ;;
-*) usage >&2; exit 2 ;;
esac
[ $# -gt 0 ] || set -- 5.10 6.1 6.12 newest

headers()
{
	case $1 in
	6.1|6.12) "$here/vm/fetch-kernel.sh" --series "$1" kdir ;;
	*) "$here/fetch-headers.sh" "$1" ;;
	esac
}

knows()
{
	gcc -Werror "$1" -E -x c - </dev/null >/dev/null 2>&1
}

# compiler_arguments KDIR: one make argument a line.
compiler_arguments()
{
	local have wanted

	# Debian's headers name the version of gcc that built the kernel.
	echo CC=gcc
	# gcc 14 and later; without it Kbuild falls back on -falign-functions.
	if grep -q '^CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=y' "$1/.config" &&
		! knows -fmin-function-alignment=16; then
		echo CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=
	fi
	# An older pahole does not know the options; type information is not what is built here.
	have=$(pahole --numeric_version 2>/dev/null) || have=0
	wanted=$(sed -n 's/^CONFIG_PAHOLE_VERSION=//p' "$1/.config")
	if [ "${wanted:-0}" -gt "$have" ]; then
		printf '%s\n' CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_PAHOLE_VERSION="$have"
	fi
}

# What the kernel's Makefile says about the compiler as such, not about the code.
about_compiler='warning: the compiler differs from the one used to build the kernel'

failed=()
# build SERIES NAMESPACE KDIR
build()
{
	local release shadow warnings arguments started=$SECONDS

	release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$3/include/generated/utsrelease.h")
	shadow=$top/out/kmod/$2-$release
	# An object that is kept is one whose warnings are not seen.
	rm -rf "$shadow"
	mapfile -t arguments < <(compiler_arguments "$3")
	if ! V='' MAKEFLAGS=-j${JOBS:-$(nproc)} "$here/build-module.sh" --kernel "$3" \
		--namespace "$2" "${arguments[@]}" >/dev/null; then
		failed+=("$1 $2")
		return
	fi
	if warnings=$(grep -i 'warning' "$shadow/build.log" | grep -vF "$about_compiler"); then
		echo "${warnings//$shadow\//kmod/}" >&2
		failed+=("$1 $2")
		return
	fi
	say OK "$release $2 ($((SECONDS - started)) s)"
}

for series; do
	if ! kdir=$(headers "$series"); then
		failed+=("$series headers")
		continue
	fi
	for namespace in ndtel neuron; do
		build "$series" "$namespace" "$kdir"
	done
done
[ ${#failed[@]} = 0 ] || die "failed: $(IFS=,; echo "${failed[*]}")"
