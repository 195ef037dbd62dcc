#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: judge.sh DIR QEMU_STATUS NONCE [--allow-complaints]
#
# Decide how the run whose logs lie in DIR went, say so in one line, and exit:
#
#   0  pass: the guest said so on the console, at the end of the kernel log and
#      through the exit device, and the kernel complained about nothing
#   1  the guest's command failed
#   3  kernel panic (an oops is one: the guest boots with oops=panic)
#   4  time-out
#   5  kernel complaint: warning, sanitizer, lockdep, hung task, leak
#   6  the guest ended without a verdict
#   7  QEMU failed

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

case ${1-} in
-h|--help) usage; exit 0 ;;
esac
[ $# -ge 3 ] || { usage >&2; exit 2; }
dir=$1 qemu=$2 nonce=$3 allow=${4-}

complaint='BUG:|WARNING:|Oops|UBSAN:|KASAN:|KCSAN:|KFENCE:|ODEBUG:|INFO: (task|rcu|trying|lockdep)'
complaint+='|possible (recursive|circular|irq|deadlock)|inconsistent lock state|suspicious RCU'
complaint+='|unreferenced object|general protection|Call Trace|soft lockup|hard LOCKUP|refcount_t:'
complaint+='|corruption|scheduling while atomic|bad page|Bad page|page allocation failure'
# What a healthy boot prints under an emulated processor.
harmless='Spectre V[0-9]+ : WARNING'

verdict()
{
	printf 'ndtel-vm: %s\n' "$2"
	exit "$1"
}

complaints()
{
	tr -d '\r' <"$dir/dmesg.txt" | grep -aE "$complaint" | grep -avE "$harmless"
}

touch "$dir/dmesg.txt" "$dir/console.txt" "$dir/qemu.txt"
if panic=$(grep -aoEm1 'Kernel panic - .*' "$dir/dmesg.txt"); then
	complaints | head -n 5 || true
	verdict 3 "kernel panic: ${panic#Kernel panic - }"
fi
# Ended from outside, QEMU still exits with 0.
if killed=$(grep -aom1 'terminating on signal.*' "$dir/qemu.txt") && [[ $qemu != 124 ]]; then
	verdict 7 "QEMU was ended from outside: $killed"
fi
case $qemu in
0|33|35) ;;
124|137) verdict 4 "time-out: the guest did not end in time" ;;
*) verdict 7 "QEMU failed with status $qemu: $(tail -n1 "$dir/qemu.txt")" ;;
esac
if found=$(complaints | head -n 20) && [ -n "$found" ]; then
	echo "$found"
	[ "$allow" = --allow-complaints ] || verdict 5 "kernel complaint (above)"
fi

said=$(tr -d '\r' <"$dir/console.txt" | sed -n "s/^ndtel-vm: verdict \([a-z]*\) $nonce\$/\1/p")
case $qemu/$said in
35/fail) verdict 1 "fail: the command in the guest failed" ;;
33/pass) ;;
*) verdict 6 "no verdict: the guest ended without one (QEMU status $qemu, console '$said')" ;;
esac
grep -aq "ndtel-vm: end of kernel log $nonce" "$dir/dmesg.txt" ||
	verdict 6 "no verdict: the kernel log is incomplete"
verdict 0 "pass"
