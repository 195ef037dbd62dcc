#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: demo.sh
#
# Watch the telemetry plane live: build module and tool, boot Debian's own 6.1
# kernel in QEMU, run four processes that compute and count, kill one, let one
# leave, pause posting, audit what became of every count, and view the traces of
# all four. Exit status 0 only if everything was conserved. Leaves its results in
# out/demo/.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"

case ${1-} in
'') ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

begin=$SECONDS
out=$top/out/demo
say BUILD ndtel
"$here/build-user.sh" "$top/out/user" -DCMAKE_BUILD_TYPE="${BUILD_TYPE:-RelWithDebInfo}" \
	-DNDTEL_STATIC=ON -- ndtel
say BUILD ndtel.ko
module=$("$here/build-module.sh")

color=never
[ ! -t 1 ] || color=always
rm -rf "$out"
mkdir -p "$out"
say BOOT "Debian's 6.1 kernel in QEMU, without KVM: half a minute"
status=0
"$here/vm/run.sh" --out "$out" --timeout 110 --module "$module" \
	--file "$top/out/user/bin/ndtel:/bin/ndtel" --file "$here/demo/guest.sh:/demo" \
	-- /demo "$color" || status=$?

# The harness keeps what the guest left in files/; people look one level up.
if [ -d "$out/files" ]; then
	cp -r "$out"/files/. "$out" && rm -r "$out/files"
fi
sed -i 's/\x1b\[[0-9;]*m//g; s/\r$//' "$out/console.txt"
say OUT "out/demo: posts.jsonl audit.json ledger/ books/ traces/ console.txt dmesg.txt"
say TIME "$((SECONDS - begin)) s"
exit $status
