#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch-headers.sh SERIES
#
# Put the headers of a kernel that this Debian does not have into the cache and
# print the folder to build modules against. SERIES is one such as 5.10, or
# "newest": the highest version in sid and the backports of the release after
# this one. Nothing is installed, and apt's own lists and sources stay as they
# are. Without the network the last one fetched is used.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/vm/common.sh"

flavour=cloud-amd64
mirror=${NDTEL_MIRROR:-http://deb.debian.org}
case ${1-} in
5.10) suites=("debian bullseye" "debian-security bullseye-security") pattern='5\.10\.' ;;
newest) suites=("debian trixie-backports" "debian sid") pattern='[0-9]+\.[0-9]+' ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac
series=$1
apt=$VM_CACHE/apt-$series
last=$VM_CACHE/.headers-$series

# An apt of our own: other suites, other lists, the same keys.
set_up_apt()
{
	local suite key=/usr/share/keyrings/debian-archive-keyring.gpg

	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	for suite in "${suites[@]}"; do
		echo "deb [arch=amd64 signed-by=$key] $mirror/${suite% *} ${suite#* } main"
	done >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
		Dir::Etc::SourceList "$apt/sources.list";
		Dir::Etc::SourceParts "-";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State::Lists "$apt/lists";
		Dir::State::Status "/dev/null";
		Dir::Cache "$apt/cache";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "root";
	END
	export APT_CONFIG=$apt/apt.conf
}

# Once a day is often enough.
update()
{
	[ -z "$(find "$apt/updated" -mmin -1440 2>/dev/null)" ] || return 0
	say FETCH "package lists for kernels of series $series"
	apt-get -qq update || return
	touch "$apt/updated"
}

# The package with the highest version.
newest_headers()
{
	apt-cache pkgnames linux-headers- |
		grep -E "^linux-headers-${pattern}[^-]*(-[0-9]+)?-$flavour\$" | sort -V | tail -n1
}

# What it is of no use without.
neighbours()
{
	apt-cache depends "$1" |
		awk '/Depends: linux-(headers-.*-common|kbuild-)/ { print $2 }'
}

# Programs of a newer release want a newer C library: run them with one of
# their own.
give_libc()
{
	local tree=$1 program wants libc

	while read -r program; do
		wants=$(ldd "$program" 2>&1) || true
		[[ $wants == *GLIBC_*"not found"* ]] || continue
		libc=$tree/libc/usr/lib/x86_64-linux-gnu
		if [ ! -e "$libc" ]; then
			(download "$tree/libc" libc6) || return
			dpkg -x "$tree"/libc/*.deb "$tree/libc"
			rm "$tree"/libc/*.deb
		fi
		mv "$program" "$program.elf"
		cat >"$program" <<-END
			#!/bin/sh
			exec '$libc/ld-linux-x86-64.so.2' \\
				--library-path '$libc:/usr/lib/x86_64-linux-gnu' '$program.elf' "\$@"
		END
		chmod +x "$program"
	done < <(find "$tree"/usr/lib/linux-kbuild-* -type f -perm -u+x ! -name '*.elf' \
		-exec sh -c 'head -c4 "$1" | grep -q ELF' _ {} \; -print)
}

fetch()
{
	local headers release version packages

	update || return
	headers=$(newest_headers)
	[ -n "$headers" ] || return
	release=${headers#linux-headers-}
	version=$(apt_candidate "$headers") || return
	tree=$VM_CACHE/headers-$release-${version//[:~]/_}
	kdir=$tree/usr/src/$headers
	[ ! -e "$tree/.complete" ] || return 0
	say FETCH "kernel headers $release ($version)"
	rm -rf "$tree"
	mapfile -t packages < <(neighbours "$headers")
	(download "$tree" "$headers" "${packages[@]}") || return
	for deb in "$tree"/*.deb; do
		dpkg -x "$deb" "$tree" || return
	done
	rm "$tree"/*.deb
	relocate "$tree" || return
	give_libc "$tree" || return
	touch "$tree/.complete"
}

mkdir -p "$VM_CACHE"
exec 9>"$VM_CACHE/.headers-$series.lock"
flock 9
set_up_apt
if fetch; then
	echo "$kdir" >"$last"
elif [ -e "$last" ] && [ -e "$(cat "$last")/Makefile" ]; then
	say CACHED "the mirror does not answer; the kernel headers fetched last"
else
	die "cannot download kernel headers of series $series from $mirror; are you online?"
fi
cat "$last"
