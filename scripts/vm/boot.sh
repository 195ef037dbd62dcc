#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: boot.sh --kernel FILE --initrd FILE --dir DIR [--timeout SECONDS]
#                [--memory SIZE] [--smp N] [--append "KERNEL ARGUMENTS"]
#
# Run QEMU until the guest ends. The test console goes to stdout and
# DIR/console.txt, kernel messages to DIR/dmesg.txt, the guest's outbox (see
# guest/outbox.c) to DIR/outbox. DIR/qemu.txt has what QEMU itself said.
#
# Exit status is QEMU's: 33 the guest said pass, 35 it said fail, 0 it reset or
# powered off, 124 or 137 the time ran out, anything else is QEMU's own error.
# judge.sh turns this and the logs into a verdict.
#
# VM_ACCEL picks the accelerator (tcg,thread=single), VM_QEMU_ARGS adds arguments.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

timeout=120 memory=512M smp=2 append=
while [ $# -gt 0 ]; do
	case $1 in
	--kernel) kernel=$2 ;;
	--initrd) initrd=$2 ;;
	--dir) dir=$2 ;;
	--timeout) timeout=$2 ;;
	--memory) memory=$2 ;;
	--smp) smp=$2 ;;
	--append) append=$2 ;;
	-h|--help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	shift 2
done
[[ -n ${kernel-} && -n ${initrd-} && -n ${dir-} ]] || { usage >&2; exit 2; }

outbox_size=64M
truncate -s $outbox_size "$dir/outbox"
read -ra extra <<<"${VM_QEMU_ARGS-}"

status=0
# One thread runs all processors in turn: with a thread each, QEMU 7.2 sometimes goes on executing a
# breakpoint that another processor has already patched away, and the guest hangs in a tracepoint.
# no_timer_check: the kernel counts timer interrupts for 40 ms to see whether they work, and on a busy
# host the emulator may get no processor for that long.
timeout -k 5 "$timeout" qemu-system-x86_64 -nodefaults -no-user-config \
	-machine q35 -accel "${VM_ACCEL:-tcg,thread=single}" -cpu max -smp "$smp" -m "$memory" \
	-display none -no-reboot \
	-kernel "$kernel" -initrd "$initrd" \
	-append "console=ttyS1 loglevel=7 panic=-1 oops=panic no_timer_check $append" \
	-chardev "stdio,id=console,signal=off,logfile=$dir/console.txt" -serial chardev:console \
	-serial "file:$dir/dmesg.txt" \
	-object "memory-backend-file,id=outbox,mem-path=$dir/outbox,size=$outbox_size,share=on" \
	-device ivshmem-plain,memdev=outbox,addr=0x1e \
	-device isa-debug-exit,iobase=0xf4,iosize=0x04 \
	"${extra[@]}" </dev/null 2>"$dir/qemu.txt" || status=$?
exit $status
