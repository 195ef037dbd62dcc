#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
#
# The demo as it runs in the guest: guest.sh auto|always|never (colour)
#
# Everything worth keeping goes to /out, which the harness brings out.

color=$1
seconds=22
trace=/sys/kernel/tracing/instances
books=/sys/kernel/debug/ndtel
class=/sys/class/ndtel_device

bold() {
	if [ "$color" = always ]; then
		printf '\033[1m== %s\033[0m\n' "$*"
	else
		printf '== %s\n' "$*"
	fi
}

fail() {
	echo "demo: $*"
	exit 1
}

# until_true SECONDS COMMAND...: poll until the command succeeds.
until_true() {
	tries=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# pid_of WORKER: process id of a worker, from the workload's own words.
pid_of() {
	sed -n "s/^worker $1 pid \([0-9]*\) ndtel.*/\1/p" /out/workload.txt
}

started() {
	[ -n "$(pid_of 3)" ]
}

bold "loading the module: two simulated devices, a post a second, to firmware and to trace events"
insmod /ndtel.ko sim_devices=2 nmetric_metric_post_delay=1000 nmetric_log_posts=3 fwio_timeout_ms=400 ||
	fail "the module does not load"
ndtel ls || fail "ndtel ls failed"

ndtel posts --compact --color "$color" --record /out/posts.jsonl &
posts=$!
until_true 10 [ -d $trace/ndtel-posts-$posts ] || fail "nobody follows the posts"

bold "four processes on two devices, two cores each, for $seconds s, some requests faulty; all are traced"
ndtel run --quiet --output /out/traces -- \
	ndtel workload --processes 4 --cores 2 --seconds $seconds --rate 6 --queue 8 \
	--faults nan=0.03,deadline=0.02,queue=0.01,shape=0.03 --ledger /out/ledger \
	>/out/workload.txt 2>/out/run.txt &
workload=$!
until_true 10 started || fail "the workload did not start"
cat /out/workload.txt
sleep 3

bold "counters of the living, read from their slabs, and the same live in sysfs"
ndtel ls
ndtel counters
(cd $class && grep . ndtel0/neuron_core[01]/stats/status/success/total)

bold "the firmware of ndtel1 takes posts without answering; counts stay pending, sampling goes on"
echo 4294967295 >$books/ndtel1/firmware/drop_replies
sleep 3
ndtel health || true
echo 0 >$books/ndtel1/firmware/drop_replies

bold "posting is paused for 4 s; the processes count on"
ndtel pause --seconds 4 &
pause=$!
sleep 3
victim=$(pid_of 1)
bold "worker 1 (pid $victim) is killed with SIGKILL, half way, while nothing is posted"
kill -KILL "$victim" || fail "worker 1 is not there"
wait $pause || fail "ndtel pause failed"
sleep 2
leaver=$(pid_of 2)
bold "worker 2 (pid $leaver) is asked to leave early, with SIGTERM"
kill -TERM "$leaver" || fail "worker 2 is not there"
sleep 2

bold "counters of the living"
ndtel counters

wait $workload || fail "the workload failed: $(tail -n 20 /out/workload.txt /out/run.txt)"
bold "the workload is over; what it says it counted"
cat /out/workload.txt
grep -q "^worker 1 pid $victim killed by SIGKILL" /out/workload.txt || fail "worker 1 was not killed"
grep -q "^worker 2 pid $leaver exited" /out/workload.txt || fail "worker 2 did not exit"

# The books and the recording must stand still together: no post between the two.
ndtel pause --seconds 30 >/out/pause.txt &
pause=$!
until_true 10 grep -q ndtel1 /out/pause.txt || fail "posting cannot be paused"
mkdir -p /out/books
for device in "$books"/ndtel*; do
	cat "$device/pending" >"/out/books/$(basename "$device").pending" || fail "no books of $device"
	cat "$device/firmware/received" >"/out/books/$(basename "$device").received" ||
		fail "no record of the firmware of $device"
done
alive=$(cat $books/slabs_alive)
kill -TERM $posts
wait $posts || fail "ndtel posts lost events"
kill -TERM $pause
wait $pause

bold "the audit: processes, kernel, receiver and firmware compared"
ndtel audit --ledger /out/ledger --posts /out/posts.jsonl --pending /out/books \
	--firmware /out/books --json-file /out/audit.json
status=$?
[ "$alive" = 0 ] || fail "$alive slabs are left over although no process lives"
rmmod ndtel || fail "the module does not unload"

bold "the traces: three processes wrote theirs, that of worker 1 was taken from its memory"
cat /out/run.txt
grep -q "process $victim: .* harvested from its memory" /out/run.txt ||
	fail "the trace of worker 1 was not harvested"
ndtel view /out/traces || fail "the traces cannot be read"
exit $status
