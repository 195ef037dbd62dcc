#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: selftest.sh [--kernel debian|debug]
#
# Prove that the VM harness cannot pass by accident: each way in which a run can
# go wrong has to end in its own exit status. Prints "ok NAME" or "FAIL NAME" for
# each, then the count. With --kernel debug: what only the sanitizers can see.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"

kernel=debian
case ${1-} in
'') ;;
--kernel) kernel=${2-} ;;
-h|--help) usage; exit 0 ;;
*) usage >&2; exit 2 ;;
esac

# Statuses of judge.sh, by name.
pass=0 fail=1 usage=2 panic=3 timeout=4 complaint=5 no_verdict=6

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$top"/tests/vm/selftest/{Kbuild,misbehave.c} "$work"
case $kernel in
debian) kdir=$("$here/vm/fetch-kernel.sh" kdir) ;;
debug) kdir=$("$here/vm/debug-kernel.sh" kdir) ;;
*) die "--kernel is debian or debug, not '$kernel'" ;;
esac
make -s -C "$kdir" M="$work" modules >"$work/build.log" 2>&1 || {
	cat "$work/build.log" >&2
	die "tests/vm/selftest does not build"
}

names=() wanted=() pids=()

two_at_a_time()
{
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n || true
	done
}

# expect STATUS NAME RUN-ARGUMENT...: start a run, two at a time.
expect()
{
	local id=${#names[@]}

	wanted+=("$1")
	names+=("$2")
	shift 2
	two_at_a_time
	"$here/vm/run.sh" --kernel "$kernel" --smp 1 --module "$work/misbehave.ko" "$@" \
		>"$work/$id.txt" 2>&1 &
	pids+=($!)
}

misbehave()
{
	expect "$1" "$2" "${@:3}" -- insmod /misbehave.ko "how=$2"
}

# Programs that fail in every way, and what has to be known about them afterwards.
suite_results()
{
	"$here/vm/suite.sh" --programs "$top/tests/vm/selftest/programs" --limit 6 \
		--out "$work/suite/vm-debian" || true
	"$here/collect-results.py" "$work/suite" || true
	diff <(grep -v '^#' "$top/tests/vm/selftest/programs.expected") "$work/suite/results.tsv"
}

if [ "$kernel" = debian ]; then
	names+=(results-of-failing-programs)
	wanted+=(0)
	suite_results >"$work/0.txt" 2>&1 &
	pids+=($!)
	expect $pass good-run -- true
	expect $fail failing-command -- sh -c 'exit 7'
	expect $fail missing-command -- /no-such-program
	expect $fail killed-command -- sh -c 'kill -KILL $$'
	expect $panic panic -- sh -c 'echo c >/proc/sysrq-trigger; sleep 60'
	expect $timeout hang --timeout 15 -- sleep 1000
	misbehave $complaint warn
	misbehave $panic oops
	expect $no_verdict power-off -- poweroff -f
	expect $no_verdict reboot -- reboot -f
	expect $no_verdict forged-verdict -- sh -c 'echo ndtel-vm: verdict pass 0123; poweroff -f'
	expect $no_verdict exit-device-only -- verdict pass 0123
	expect $no_verdict silenced-kernel-log -- dmesg -n 1
	expect $usage unknown-option --no-such-option -- true
	expect $fail too-much-output -- dd if=/dev/zero of=/out/big bs=1M count=70
else
	misbehave $complaint leak
	misbehave $complaint use-after-free --append ndtel.leaks=0
	misbehave $complaint vmalloc --append ndtel.leaks=0
	misbehave $complaint lock-order --append ndtel.leaks=0
	misbehave $complaint atomic-sleep --append ndtel.leaks=0
	misbehave $complaint shift --append ndtel.leaks=0
fi

good=0 bad=0
for id in "${!names[@]}"; do
	got=0
	wait "${pids[$id]}" || got=$?
	if [ "$got" = "${wanted[$id]}" ]; then
		echo "ok ${names[$id]}"
		good=$((good + 1))
	else
		echo "FAIL ${names[$id]}"
		echo "  status $got, expected ${wanted[$id]}; the run said:"
		sed 's/^/  | /' "$work/$id.txt" | tail -n 30
		bad=$((bad + 1))
	fi
done
echo "$good passed, $bad failed"
[ $bad = 0 ]
