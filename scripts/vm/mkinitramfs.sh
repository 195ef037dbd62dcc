#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: mkinitramfs.sh OUTPUT [SOURCE:DESTINATION]...
#
# Build the guest's root: busybox, the init of guest/, and the named files.
# Programs must be static; debug sections are left out to keep the boot short.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

case ${1-} in
-h|--help) usage; exit 0 ;;
''|-*) usage >&2; exit 2 ;;
esac
output=$1
shift

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# It becomes the guest's /, which other users than root must be able to enter.
chmod 755 "$root"
mkdir -p "$root"/{bin,dev,tests}
busybox=$(command -v busybox) || die "no busybox; run scripts/setup.sh"
cp "$busybox" "$root/bin/busybox"
install -m755 "$here/guest/init" "$root/init"
install -m755 "$here"/guest/{save-out,run-suite} "$root/bin/"

tools=$VM_CACHE/guest-$(cat "$here"/guest/*.c | sha256sum | cut -c1-12)
if [ ! -e "$tools/.complete" ]; then
	mkdir -p "$tools"
	for source in "$here"/guest/*.c; do
		name=$(basename "$source" .c)
		gcc -O2 -Wall -Wextra -Werror -static -s "$source" -o "$tools/$name.$$"
		mv "$tools/$name.$$" "$tools/$name"
	done
	touch "$tools/.complete"
fi
cp "$tools"/* "$root/bin/"

for pair in "$@"; do
	source=${pair%:*}
	destination=${pair##*:}
	[ -e "$source" ] || die "no such file: $source"
	[[ $destination = /* ]] || die "destination must be absolute: $pair"
	install -D -m755 "$source" "$root$destination"
	# Scripts and data are not ELF files; strip says so and leaves them alone.
	strip --strip-debug "$root$destination" 2>/dev/null || true
done

# The kernel opens the console before init can mount anything.
mknod "$root/dev/console" c 5 1 || die "mknod needs root"
(cd "$root" && find . -print0 | cpio -0 -o -H newc --quiet) >"$output"
