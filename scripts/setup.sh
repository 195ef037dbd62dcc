#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: setup.sh [bench]
#
# Install the packages of packages.txt that this machine lacks; say which. Those
# that only "make bench" needs, compilers of peers among them, on request.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case ${1-} in
'') skip='/^# make bench$/,/^$/d' ;;
bench) skip= ;;
-h|--help) sed -n '4,7 s/^# \{0,1\}//p' "$0"; exit 0 ;;
*) echo "setup.sh: takes no argument but 'bench'" >&2; exit 2 ;;
esac

mapfile -t wanted < <(sed "$skip" "$here/packages.txt" | sed 's/#.*//; s/[[:space:]]//g; /^$/d')
# A package that only a virtual name provides shows up as unknown here too.
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
	<(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
		sed -n 's/^ii  *//p' | sort -u))
[ ${#missing[@]} -gt 0 ] || exit 0

printf '  %-8s %s\n' INSTALL "${missing[*]}"
if [ "$(id -u)" != 0 ]; then
	echo "setup.sh: not root; run: apt-get install --no-install-recommends ${missing[*]}" >&2
	exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get -qq update &&
	apt-get -qq -y --no-install-recommends install "${missing[@]}"; } >"$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "setup.sh: apt-get could not install: ${missing[*]}" >&2
	exit 1
fi
