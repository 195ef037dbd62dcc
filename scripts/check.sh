#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: check.sh [CHECK]...
#
# Static checks, all or the named ones: licence checkpatch sparse format tidy
# cppcheck shell. Every finding is shown, and any finding fails the run.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/vm/common.sh"
cd "$top"

# sources PATTERN...: our files that match, committed or not, outputs left out.
sources()
{
	git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
		[ ! -f "$file" ] || echo "$file"
	done
}

toolkit_units() { sources 'user/*.cc' 'user/*.cpp' 'tests/*.cc' 'tests/*.cpp'; }
toolkit_headers() { sources 'user/*.h' 'user/*.hpp' 'tests/*.h' 'tests/*.hpp'; }

# Every file says its licence within its first three lines.
check_licence()
{
	local file bad=0

	while read -r file; do
		head -n3 "$file" | grep -aq 'SPDX-License-Identifier: ' && continue
		echo "$file: no SPDX-License-Identifier in the first three lines"
		bad=1
	done < <(sources | grep -vE '^(LICENSES/|tests/data/|tests/fuzz/corpus/)|\.json$')
	return "$bad"
}

# checkpatch IGNORED-TYPES < FILES
checkpatch()
{
	xargs -r "$tools/scripts/checkpatch.pl" --no-tree --strict --terse --quiet --show-types \
		--no-summary --max-line-length=100 --ignore "$1" -f
}

check_checkpatch()
{
	local tools status=0
	# These look like the kernel's code and live in user space, or in both.
	local shared='^kmod/uapi/|^kmod/core/port_user\.h$|^scripts/vm/guest/'
	# This one exists to compare kernel versions.
	local versions='^kmod/compat\.h$'
	# These hold lists that are expanded in several ways.
	local lists='^kmod/(core/(fw_model|ncounter)\.h|sysfs_tree\.c)$'
	local all

	tools=$(scripts/vm/fetch-source.sh --tools)
	all=$(sources 'kmod/*.[ch]' 'tests/vm/selftest/*.c' 'scripts/vm/guest/*.c')
	grep -vE "$shared|$versions|$lists" <<<"$all" | checkpatch NONE || status=1
	grep -E "$lists" <<<"$all" | checkpatch COMPLEX_MACRO,MACRO_ARG_REUSE,TRAILING_SEMICOLON ||
		status=1
	grep -E "$versions" <<<"$all" | checkpatch LINUX_VERSION_CODE,CONSTANT_COMPARISON || status=1
	grep -E "$shared" <<<"$all" |
		checkpatch PREFER_KERNEL_TYPES,VOLATILE,PREFER_DEFINED_ATTRIBUTE_MACRO,COMPLEX_MACRO,MACRO_ARG_REUSE,CAMELCASE ||
		status=1
	return "$status"
}

check_sparse()
{
	local findings

	findings=$(V=0 scripts/build-module.sh C=2 2>&1 >/dev/null | grep -v '^  MODULE') || true
	[ -z "$findings" ] || { echo "$findings"; return 1; }
}

check_format()
{
	{ toolkit_units; toolkit_headers; } | xargs -r clang-format --dry-run -Werror
}

check_tidy()
{
	scripts/build-user.sh out/user -DNDTEL_STATIC=ON
	toolkit_units | scripts/tidy.py out/user "$VM_CACHE/tidy"
}

check_cppcheck()
{
	local options=(--quiet --error-exitcode=1 --inline-suppr -j "${JOBS:-$(nproc)}"
		--suppress=missingInclude -Ikmod/uapi -Ikmod -Iuser/include)
	# Version 2.10 does not know all of C++20: it stumbles over generic lambdas and
	# placement new, and takes references for temporaries. The compilers and
	# clang-tidy look after syntax, lifetimes and copies.
	local cxx=(--suppress=syntaxError --suppress=internalAstError --suppress=returnTempReference
		--suppress=returnStdMoveLocal --suppress=legacyUninitvar)

	# It takes a buffer that a function fills within an argument list for uninitialised.
	# Nor can it follow googletest and system calls: tests are clang-tidy's alone.
	sources 'user/*.cc' 'user/*.cpp' | cppcheck "${options[@]}" "${cxx[@]}" --enable=warning \
		--enable=portability --std=c++20 --language=c++ --file-list=- &&
		sources 'kmod/core/*.c' | cppcheck "${options[@]}" --suppress=uninitvar --enable=warning \
			--enable=portability --enable=performance --std=c11 --language=c --file-list=-
}

# SC2317 takes what is called through its name for unreachable.
check_shell()
{
	{ sources 'scripts/*.sh' '.ci/*'; } | xargs -r shellcheck -e SC2317 -x -P SCRIPTDIR -P SCRIPTDIR/vm -P scripts/vm &&
		shellcheck -s dash scripts/vm/guest/{init,run-suite,save-out}
}

checks=("$@")
[ $# -gt 0 ] || checks=(licence checkpatch sparse format tidy cppcheck shell)

status=0
for check in "${checks[@]}"; do
	[ "$(type -t "check_$check")" = function ] || { usage >&2; exit 2; }
	say CHECK "$check"
	"check_$check" || { say FAIL "$check"; status=1; }
done
exit $status
