#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch-source.sh [--tools]
#
# Unpack Debian's linux-source-6.1 into the cache, once a version, and print the
# folder. With --tools only checkpatch and the licence texts are unpacked.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

members=()
kind=source
case ${1-} in
'') ;;
--tools) kind=tools
	members=(--wildcards '*/scripts/checkpatch.pl' '*/scripts/spelling.txt'
		'*/scripts/const_structs.checkpatch' '*/LICENSES/*') ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

package=linux-source-6.1
version=$(candidate $package)
source=$VM_CACHE/source-${version//[:~]/_}
[ $kind = tools ] && [ ! -e "$source/.complete" ] && source=$VM_CACHE/tools-${version//[:~]/_}

mkdir -p "$VM_CACHE"
exec 9>"$VM_CACHE/.source.lock"
flock 9
if [ ! -e "$source/.complete" ]; then
	say FETCH "$package $version ($kind)"
	scratch=$(mktemp -d "$VM_CACHE/.fetch.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	download "$scratch" "$package=$version"
	rm -rf "$source"
	mkdir -p "$source"
	dpkg --fsys-tarfile "$scratch"/*.deb |
		tar -xO ./usr/src/linux-source-6.1.tar.xz |
		tar -xJ -C "$source" --strip-components=1 "${members[@]}"
	touch "$source/.complete"
fi
echo "$source"
