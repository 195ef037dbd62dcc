#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: install-module.sh KDIR NAMESPACE
#
# Build the module for the kernel of KDIR and install it (below DESTDIR) among
# that kernel's modules, with the udev rule that opens its nodes to users.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] || { sed -n '4,7 s/^# \{0,1\}//p' "$0" >&2; exit 2; }
module=$("$here/build-module.sh" --kernel "$1" --namespace "$2")
release=$(modinfo -F vermagic "$module" | cut -d' ' -f1)
install -D -m644 "$module" "${DESTDIR-}/lib/modules/$release/updates/$2.ko"
install -D -m644 "$here/udev/60-ndtel.rules" "${DESTDIR-}/usr/lib/udev/rules.d/60-ndtel.rules"
[ -n "${DESTDIR-}" ] || depmod "$release"
