#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: check-symbols.sh LIBRARY
#
# Compare what libndtel.so exports with its headers: every C function declared in
# user/include/nrt and no other, and of C++ only what is in ndtel::trace.

set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
[[ $# = 1 && -f $1 ]] || { sed -n '4,7 s/^# \{0,1\}//p' "$0" >&2; exit 2; }
library=$(realpath "$1")
cd "$top/user/include"

# The compiler lists every prototype it saw with its place.
declared=$(printf '#include "%s"\n' nrt/*.h |
	cc -std=c11 -I. -I"$top/kmod/uapi" -x c -fsyntax-only -aux-info /dev/stdout - |
	sed -nE 's,^/\* (\./)?nrt/[^ ]* \*/ extern .*[ *]([a-z0-9_]+) \(.*,\2,p' | sort -u)
[ -n "$declared" ] || { echo "check-symbols.sh: the headers declare nothing" >&2; exit 2; }

# Absolute symbols are the names of versions.
exported=$(nm -D --defined-only "$library" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | c++filt | sort -u)
exported_c=$(grep -v ':' <<<"$exported" || true)
cxx='^((vtable|VTT|typeinfo|typeinfo name|guard variable) for |non-virtual thunk to )?ndtel::trace::'
findings=$(
	comm -13 <(echo "$declared") <(echo "$exported_c") | sed '/^$/d; s/^/exported, but in no header: /'
	comm -23 <(echo "$declared") <(echo "$exported_c") | sed 's/^/declared, but not exported: /'
	grep ':' <<<"$exported" | grep -vE "$cxx" | sed 's/^/exported, but not of ndtel::trace: /'
) || true
[ -z "$findings" ] || { echo "$findings"; exit 1; }
