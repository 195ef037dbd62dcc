#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: debug-kernel.sh [build|image|kdir|have]
#
# A 6.1 kernel with KASAN, lockdep, kmemleak, UBSAN, fault injection and KUnit,
# built once for each configuration and source version, outside the tree.
#
#   build   build it if the cache has none, print its folder (the default)
#   image   build it if needed, print the path of its bzImage
#   kdir    build it if needed, print the folder to build modules against
#   have    exit status 0 when the cache has it, 1 when it would have to be built
#
# JOBS sets the parallelism (default: all processors). 15 to 25 minutes on two.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

action=${1:-build}
case $action in
build|image|kdir|have) ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

fragment=$here/debug-kernel.config
version=$(candidate linux-source-6.1)
key=$(grep -v -e '^# [^C]' -e '^#$' -e '^$' "$fragment" | cat - <(echo "$version" && gcc --version) |
	sha256sum | cut -c1-12)
build=$VM_CACHE/debug-kernel-$key
image=$build/arch/x86/boot/bzImage

# Kconfig drops what it cannot satisfy without a word, so compare afterwards.
configure()
{
	local line missing=0

	make -s -C "$1" O="$build" KCONFIG_ALLCONFIG="$fragment" allnoconfig >/dev/null
	while read -r line; do
		case $line in
		CONFIG_*=*|'# CONFIG_'*' is not set') ;;
		*) continue ;;
		esac
		# An option that is off and hidden leaves no line at all.
		[[ $line = '#'* ]] && ! grep -q "^${line:2:-11}=" "$build/.config" && continue
		grep -qxF -- "$line" "$build/.config" && continue
		echo "debug-kernel.sh: Kconfig dropped: $line" >&2
		missing=1
	done <"$fragment"
	[ $missing = 0 ] || exit 2
}

if [ ! -e "$build/.complete" ]; then
	[ "$action" != have ] || exit 1
	source=$("$here/fetch-source.sh")
	mkdir -p "$build"
	exec 8>"$build/.lock"
	flock 8
fi
if [ ! -e "$build/.complete" ]; then
	configure "$source"
	say KERNEL "debug kernel $key (log: $build/build.log)"
	begin=$SECONDS
	make -C "$source" O="$build" -j"${JOBS:-$(nproc)}" bzImage modules >"$build/build.log" 2>&1 || {
		grep -E -m5 'error:|Error|undefined' "$build/build.log" >&2 || true
		die "the build failed; see $build/build.log"
	}
	touch "$build/.complete"
	say KERNEL "debug kernel ready after $((SECONDS - begin)) s"
fi

case $action in
build) echo "$build" ;;
image) echo "$image" ;;
kdir) echo "$build" ;;
esac
