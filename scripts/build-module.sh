#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: build-module.sh [--kernel debian|debian-6.12|debug|KDIR]
#                        [--namespace ndtel|neuron] [MAKE-ARGUMENT]...
#
# Build the module in a shadow of kmod/ below out/kmod/, so that sources stay
# clean and kernels and namespaces do not mix; print the path of the module.
# With V=1 in the environment the commands are shown.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"

kernel=debian namespace=ndtel make_arguments=()
while [ $# -gt 0 ]; do
	case $1 in
	--kernel) kernel=$2; shift ;;
	--namespace) namespace=$2; shift ;;
	-h|--help) usage; exit 0 ;;
	-*) usage >&2; exit 2 ;;
	*) make_arguments+=("$1") ;;
	esac
	shift
done
case $namespace in
ndtel|neuron) ;;
*) die "--namespace is ndtel or neuron, not '$namespace'" ;;
esac

vmlinux=''
case $kernel in
debian|debian-6.12)
	series=6.1
	[ "$kernel" = debian ] || series=6.12
	kdir=$("$here/vm/fetch-kernel.sh" --series $series kdir)
	vmlinux=$("$here/vm/fetch-kernel.sh" --series $series vmlinux)
	;;
debug)
	kdir=$("$here/vm/debug-kernel.sh" kdir)
	# UBSAN instruments only what asks for it there.
	make_arguments+=(UBSAN_SANITIZE=y)
	;;
*) kdir=$kernel ;;
esac
release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$kdir/include/generated/utsrelease.h" 2>/dev/null) ||
	die "$kdir is no kernel build folder; install linux-headers-$(uname -r) or set KDIR"

shadow=$top/out/kmod/$namespace-$release
module=$shadow/$namespace.ko
mkdir -p "$shadow"
exec 9>"$shadow.lock"
flock 9
# What is excluded is also kept: the objects of the last build.
rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
	--exclude='*.cmd' --exclude='*.d' --exclude=Module.symvers --exclude=modules.order \
	--exclude=build.log "$top/kmod/" "$shadow/"

build()
{
	make -C "$shadow" KDIR="$kdir" NAMESPACE="$namespace" RESOLVE_BTFIDS=: \
		"${make_arguments[@]}"
}

# Messages name the file that wants editing, not its shadow.
readable()
{
	sed -u "s#$shadow/#kmod/#g"
}

say MODULE "$namespace for $release"
if [ -n "${V-}" ] && [ "$V" != 0 ]; then
	build V=1 2>&1 | readable >&2
elif ! build >"$shadow/build.log" 2>&1; then
	readable <"$shadow/build.log" >&2
	die "the module does not build"
else
	readable <"$shadow/build.log" | grep -E 'warning:|error:' -A4 >&2 || true
fi
[ -e "$module" ] || die "the build made no $module"

# Split BTF against the very kernel lets BPF programs and tools see our types.
if [ -n "$vmlinux" ] && ! readelf -SW "$module" | grep -q ' \.BTF '; then
	LLVM_OBJCOPY=objcopy pahole -J --btf_gen_floats --btf_base "$vmlinux" "$module"
fi
echo "$module"
