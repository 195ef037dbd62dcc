#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch-kernel.sh [--series 6.1|6.12] [dir|vmlinux|kdir|release]
#
# Put Debian's own cloud kernel into the cache, once a version, and print the
# part asked for. Nothing is installed.
#
#   dir       the folder of the unpacked packages (the default)
#   vmlinux   the ELF kernel; boots through PVH and carries the kernel's BTF
#   kdir      the folder to build modules against
#   release   what uname -r says in it

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

series=6.1
part=dir
arguments=("$@")
while [ $# -gt 0 ]; do
	case $1 in
	--series) series=${2-}; shift ;;
	dir|vmlinux|kdir|release) part=$1 ;;
	-h|--help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift
done

flavour=cloud-amd64
case $series in
6.1) meta=linux-image-$flavour ;;
6.12) meta=linux-image-6.12-$flavour ;;
*) die "--series is 6.1 or 6.12, not '$series'" ;;
esac

# Package lists age: a version they name may have left the mirror.
refresh()
{
	[ -z "${NDTEL_REFRESHED-}" ] || die "cannot download the kernel packages of series $series"
	say FETCH "package lists"
	apt-get -qq update || die "apt-get update failed; are you root and online?"
	NDTEL_REFRESHED=1 exec "$0" "${arguments[@]}"
}

# The metapackage names the current version.
current_image()
{
	apt-cache depends $meta 2>/dev/null |
		awk '/Depends: linux-image-[0-9]/ { print $2; found = 1; exit } END { exit !found }'
}

image=$(remember $meta current_image) || refresh
release=${image#linux-image-}
abi=${release%-"$flavour"}
version=$(candidate "$image")
tree=$VM_CACHE/kernel-$release-${version//[:~]/_}

mkdir -p "$VM_CACHE"
exec 9>"$VM_CACHE/.kernel-$series.lock"
flock 9
if [ ! -e "$tree/.complete" ]; then
	kbuild=linux-kbuild-$series
	[ "$series" = 6.1 ] || kbuild=linux-kbuild-$abi
	say FETCH "Debian kernel $release ($version)"
	scratch=$(mktemp -d "$VM_CACHE/.fetch.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	(download "$scratch" "$image" "linux-headers-$release" "linux-headers-$abi-common" "$kbuild") ||
		refresh
	rm -rf "$tree"
	mkdir -p "$tree"
	for deb in "$scratch"/*.deb; do
		dpkg -x "$deb" "$tree"
	done
	relocate "$tree"
	bzimage=$(find "$tree" -name 'vmlinuz*' -type f | head -n1)
	[ -n "$bzimage" ] || die "$image holds no vmlinuz"
	"$here/extract-vmlinux.py" "$bzimage" "$tree/vmlinux"
	touch "$tree/.complete"
fi

case $part in
dir) echo "$tree" ;;
vmlinux) echo "$tree/vmlinux" ;;
kdir) echo "$tree/usr/src/linux-headers-$release" ;;
release) echo "$release" ;;
esac
