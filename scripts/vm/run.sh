#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: run.sh [OPTION]... -- COMMAND [ARGUMENT]...
#
# Boot a kernel in QEMU, run COMMAND in it as root, and exit with how it went
# (0 pass; judge.sh lists the others). The command's output is shown as it comes.
# Needs no hardware, no KVM and nothing of the host's own kernel.
#
#   --kernel NAME         debian (default), debian-6.12, or debug
#   --module FILE         put a module at /FILE-NAME; the command loads it
#   --file SOURCE:PATH    put a file into the guest at an absolute path
#   --out DIR             keep the logs there, and below it, in files/, what the
#                         command wrote to /out
#   --timeout SECONDS     for the whole run (default 120, debug 400)
#   --memory SIZE         guest memory (default 512M, debug 1G)
#   --smp N               processors (default 2)
#   --append ARGUMENTS    add to the kernel command line
#   --allow-complaints    show kernel complaints without failing for them

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

kernel=debian out='' memory='' append='' timeout='' judge_options=()
files=() boot_options=()
while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	--allow-complaints) judge_options=("$1"); shift; continue ;;
	-h|--help) usage; exit 0 ;;
	--*) [ $# -ge 2 ] || die "$1 needs a value" ;;
	*) usage >&2; exit 2 ;;
	esac
	case $1 in
	--kernel) kernel=$2 ;;
	--module) files+=("$2:/$(basename "$2")") ;;
	--file) files+=("$2") ;;
	--out) out=$2 ;;
	--memory) memory=$2 ;;
	--append) append=$2 ;;
	--timeout) timeout=$2 ;;
	--smp) boot_options+=("$1" "$2") ;;
	*) usage >&2; exit 2 ;;
	esac
	shift 2
done
[ $# -gt 0 ] || { usage >&2; exit 2; }

case $kernel in
debian) image=$("$here/fetch-kernel.sh" vmlinux) ;;
debian-6.12) image=$("$here/fetch-kernel.sh" --series 6.12 vmlinux) ;;
# A KASAN vmlinux does not survive PVH; its bzImage boots.
debug) image=$("$here/debug-kernel.sh" image)
	memory=${memory:-1G}
	timeout=${timeout:-400}
	# KUnit runs suites only when told to.
	append="kunit.enable=1 $append"
	;;
*) die "--kernel is debian, debian-6.12 or debug, not '$kernel'" ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
dir=${out:-$scratch}
mkdir -p "$dir"
rm -rf "$dir"/{console.txt,dmesg.txt,qemu.txt,files}
nonce=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')

# Without a shell in between, the command may end every process but its own.
printf 'exec' >"$scratch/command"
printf ' %q' "$@" >>"$scratch/command"
"$here/mkinitramfs.sh" "$scratch/initrd" "$scratch/command:/command" "${files[@]}"

qemu=0
"$here/boot.sh" --kernel "$image" --initrd "$scratch/initrd" --dir "$dir" \
	--memory "${memory:-512M}" --timeout "${timeout:-120}" --append "ndtel.nonce=$nonce $append" "${boot_options[@]}" || qemu=$?

# Header of the outbox: magic and length, then data from the second page on.
if [ -n "$out" ] && [ "$(head -c8 "$dir/outbox" | tr -d '\0')" = NDTELOUT ]; then
	length=$(od -An -j8 -N8 -tu8 "$dir/outbox" | tr -d ' ')
	mkdir -p "$dir/files"
	[ "$length" = 0 ] ||
		dd if="$dir/outbox" bs=1M iflag=skip_bytes,count_bytes skip=4096 count="$length" status=none |
		tar -x -C "$dir/files"
fi
rm -f "$dir/outbox"

status=0
"$here/judge.sh" "$dir" "$qemu" "$nonce" "${judge_options[@]}" || status=$?
if [ $status != 0 ] && [ -z "$out" ]; then
	echo "ndtel-vm: end of the kernel log:"
	tail -n 25 "$dir/dmesg.txt"
fi
exit $status
