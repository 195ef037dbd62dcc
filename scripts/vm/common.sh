# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts in this folder: where things are cached, how they speak.

VM_CACHE=${NDTEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ndtel}

die()
{
	echo "${0##*/}: $*" >&2
	exit 2
}

# Progress goes to stderr: stdout carries only what the caller asked for.
say()
{
	printf '  %-8s %s\n' "$1" "$2" >&2
}

# Print the file's leading comment as its usage text.
usage()
{
	sed -n '3,/^$/ { s/^# \{0,1\}//p }' "$0"
}

# remember KEY COMMAND...: the output of COMMAND, kept until apt's lists change.
# apt-cache takes a second on a slow machine and every run asks.
remember()
{
	local note=$VM_CACHE/.apt-$1 answer
	shift
	if [ ! "$note" -nt /var/lib/apt/lists ]; then
		answer=$("$@") || return
		mkdir -p "$VM_CACHE"
		echo "$answer" >"$note.$$"
		mv "$note.$$" "$note"
	fi
	cat "$note"
}

apt_candidate()
{
	apt-cache policy "$1" 2>/dev/null |
		awk '/Candidate:/ && $2 != "(none)" { print $2; found = 1 } END { exit !found }'
}

# candidate PACKAGE: the version apt would install.
candidate()
{
	remember "$1" apt_candidate "$1" ||
		die "apt knows no package $1; run 'apt-get update' first"
}

# download DIR PACKAGE...: fetch packages into DIR without installing them.
download()
{
	local dir=$1
	shift
	mkdir -p "$dir"
	(cd "$dir" && apt-get -qq -o APT::Sandbox::User=root download "$@") ||
		die "cannot download: $*"
}

# relocate DIR: kernel headers name their neighbours by absolute path below /usr;
# make that the /usr below DIR.
relocate()
{
	local makefile link target

	for makefile in "$1"/usr/src/linux-headers-*/Makefile; do
		sed -i "s#/usr/\(src/linux-headers\|lib/linux-kbuild\)#$1/usr/\1#g" "$makefile"
	done
	for link in "$1"/usr/src/*/*; do
		target=$(readlink "$link") || continue
		[[ $target != /usr/* ]] || ln -sfn "$1$target" "$link"
	done
}
