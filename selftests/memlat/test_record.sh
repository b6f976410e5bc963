#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# memlat-ctl record records commands, processes and everything to a file, in every way that it can
# end. Names survive their programs, and nothing is left behind.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

FILE=$SCRATCH/profile

# records DESCRIPTION STATUS OPTION...: record has this exit status and writes a complete file.
records()
{
	local what=$1 status=$2 good=1

	shift 2
	rm -f "$FILE"
	run memlat-ctl record -o "$FILE" "$@"
	[[ $STATUS == "$status" && $ERR == *"wrote $FILE"* ]] || good=0
	# The message says where to look next, or that there are no samples.
	[[ $ERR == *"next: memlat-ctl "*" -i $FILE"* || $ERR == *"No samples"* ]] || good=0
	memlat-ctl status -i "$FILE" >"$SCRATCH/status" 2>&1 || good=0
	if ((good)); then
		pass "$what"
	else
		show_run
		diag "the file: $(head -n 3 "$SCRATCH/status")"
		fail "$what"
	fi
}

# code_row FUNCTION MODULE: the sampled loads and stores of a function, into ROW.
code_row()
{
	ROW=$(memlat-ctl dcache -i "$FILE" --by function --csv -n 0 |
		awk -F, -v function_="$1" -v module="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == function_ && $at["module"] == module {
			sum += $at["hits"] + $at["misses"] + $at["stores"] }
		END { print sum + 0 }')
}

# samples_of FUNCTION MODULE LEAST
samples_of()
{
	code_row "$1" "$2"
	diag "$1 of $2: $ROW samples"
	((ROW >= $3))
}

# No code with many samples is without a module.
all_named()
{
	memlat-ctl dcache -i "$FILE" --by function --csv -n 0 | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ rows++ }
		$at["module"] == "" && $at["misses"] > 20 { print "# without a name: " $0; bad = 1 }
		END { exit bad || !rows || !("module" in at) || !("misses" in at) }'
}

# The command's process runs memlat-ctl's code until it executes the command. This part is sampled,
# and named as memlat-ctl's.
own_part_is_named()
{
	local rows

	rows=$(memlat-ctl dcache --by site -i "$FILE" --json -n 0 | json_check --each /sites /comm /module /function_offset)
	awk -F'\t' '
		$2 == "" || $2 == "null" { print "# without a name: " $0; bad = 1 }
		{ count[$1]++ }
		END {
			print "# sites: " count["memlat-ctl"] + 0 " of memlat-ctl, " count["true"] + 0 " of true"
			exit bad || !count["memlat-ctl"] || !count["true"]
		}' <<<"$rows"
}

# deleted_module NAME: a module with samples is called "NAME (deleted)".
deleted_module()
{
	memlat-ctl dcache -i "$FILE" --by module -n 0 | grep -q "$1 (deleted)"
}

# The session has ended, no process of this test runs, and no temporary file is left.
nothing_left()
{
	local process

	figure_is state 0 || return 1
	for process in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$process" || continue
		case $name in
		memlat-ctl | walker | chase | marker) diag "$name still runs"; return 1 ;;
		esac
	done
	[[ -z $(find /tmp "$SCRATCH" -name 'memlat-heap.*' -o -name 'memlat-files.*' -o -name 'profile.*') ]]
}

session_runs()
{
	sysfs_figure state && [[ $FIGURE == running ]]
}

# Record to FILE in the background. RECORDER is its PID.
record_beside()
{
	rm -f "$FILE"
	memlat-ctl record -o "$FILE" "$@" >"$SCRATCH/beside.out" 2>"$SCRATCH/beside.err" &
	RECORDER=$!
	helpers+=("$RECORDER")
	wait_for 60 session_runs
}

has_samples()
{
	figure_at_least samples "$1"
}

# listens_to CPUS: the recorder has an event for each of so many CPUs open. These report what
# processes do.
listens_to()
{
	(($(find "/proc/$RECORDER/fd" -lname '*perf_event*' 2>/dev/null | wc -l) == $1))
}

# signal_ends SIGNAL: a signal ends the recording of a command that would run forever.
signal_ends()
{
	local status

	record_beside --period 101 -- walker --rounds 100000000 || return 1
	wait_for 60 has_samples 1500
	kill "-$1" "$RECORDER"
	wait "$RECORDER"
	status=$?
	diag "status $status: $(<"$SCRATCH/beside.err")"
	((status == 0)) && grep -q "wrote $FILE" "$SCRATCH/beside.err" && nothing_left &&
		samples_of walk walker 100
}

tap_header
need_root
need_emulator photo
need_module
tap_plan 72

vpebsctl begin time
records "a command is recorded" 0 --period 101 -- walker --rounds 5
ok "standard output has only the command's output" grep -q '^{"pid":[0-9]*,.*}$' "$SCRATCH/out"
ok "standard output has the command's single line" test "$(wc -l <"$SCRATCH/out")" = 1
# The message is wrapped to the terminal's width. Put it on one line.
tr '\n' ' ' <"$SCRATCH/err" | tr -s ' ' >"$SCRATCH/told"
ok "record prints the quality of the measurement" \
	grep -q 'samples.* 0 lost .*children' "$SCRATCH/told"
ok "the command's code is named although it has ended" samples_of walk walker 500
ok "no session, process or file is left" nothing_left
vpebsctl end
ok "every PMU register is as before insmod" pmu_restored

records "record passes the command's exit status on" 7 -- sh -c 'exit 7'
records "a command that a signal ends is recorded, with its status" 137 -- sh -c 'kill -KILL $$'
records "a command that exits at once is recorded" 0 --period 101 -- true
ok "the loader's code has a name" grep -q 'ld-linux' <(memlat-ctl dcache -i "$FILE" --by module -n 0)

records "a command is recorded from before it is executed" 0 -U --ldlat 3 --period 17 -- true
ok "the part before the command is named as memlat-ctl's" own_part_is_named

# The command has ended and its file is deleted before names are looked up.
cp "$WORKLOADS/walker" "$SCRATCH/doomed"
records "a program whose file is deleted is recorded" 0 --period 101 -- \
	sh -c "'$SCRATCH/doomed' --rounds 5; rm '$SCRATCH/doomed'"
ok "the deleted program is called deleted" deleted_module doomed

cat >"$SCRATCH/moments" <<'END'
for cpu in 0 1 0 1 0 1; do walker --rounds 1 --cpu $cpu; done
END
records "children that run for moments are recorded" 0 --period 101 -- sh "$SCRATCH/moments"
ok "the code of children that run for moments is named" samples_of walk walker 1000
records "children of children are recorded" 0 --period 101 -- walker --children 6 --rounds 1
ok "the code of children of children is named" samples_of walk walker 1000
ok "no code with many samples is without a name" all_named

# One process executes three programs one after the other, each at another address.
records "a process that executes three programs is recorded" 0 --period 101 -- \
	walker --rounds 5 --then 'exec chase --size 2097152 --steps 20000'
ok "the first program's code is named" samples_of walk walker 500
ok "the last program's code is named" samples_of chase chase 100
records "two processes with one pid are recorded" 0 --period 101 -- same_pid --rounds 5
ok "the code of both processes is named" samples_of walk same_pid 1000

# Processes that already run.
beside walker --rounds 100000000
walker=$BESIDE
records "a running process is recorded for some time" 0 --period 101 -p "$walker" --duration 3
ok "the running process's code is named" samples_of walk walker 100
ok "the process goes on after it was recorded" kill -0 "$walker"
ok "no session runs after it was recorded" figure_is state 0
records "one thread is recorded" 0 --period 101 --tid "$walker" --duration 2
ok "the thread's code is named" samples_of walk walker 50
records "everything is recorded for some time" 0 --period 101 -a --duration 3
ok "the profile of everything has the process's code" samples_of walk walker 50
ok "on a terminal record shows its progress" grep -q 'recording: [^(]* samples' \
	<(script -qec "memlat-ctl record -o '$FILE' -p $walker --duration 3" /dev/null)
record_beside --period 1009 -a
cpus=$(nproc)
# First offline and online again, if possible between two checks of the recorder. Then so that it
# sees both. It knows the names of what runs on a CPU that came back only after it listens to that
# CPU again.
echo 0 >/sys/devices/system/cpu/cpu1/online && echo 1 >/sys/devices/system/cpu/cpu1/online
echo 0 >/sys/devices/system/cpu/cpu1/online
wait_for 30 listens_to $((cpus - 1)) || diag "it still listens to the CPU that went"
echo 1 >/sys/devices/system/cpu/cpu1/online
wait_for 30 listens_to "$cpus" || diag "it does not listen to the CPU that came"
wait_for 30 figure_is cpus_armed "$cpus"
walker --cpu 1 --rounds 3 --name late >/dev/null
kill -INT "$RECORDER"
wait "$RECORDER"
ok "record -a succeeds although a CPU goes offline and comes back" test $? = 0
ok "the program that ran on the CPU that came back is named" \
	grep -q 'late0' <(memlat-ctl dcache --by data -i "$FILE" -n 0 --csv)
record_beside --period 101 -p "$walker"
ok "a process is recorded until it ends" wait_for 60 has_samples 50
kill "$walker"
wait "$RECORDER"
ok "record ends with the process" test $? = 0
ok "the profile of the ended process has its code" samples_of walk walker 50
ok "after the process's end, no session, process or file is left" nothing_left

ok "SIGINT ends record, which writes the profile" signal_ends INT
ok "SIGTERM ends record, which writes the profile" signal_ends TERM
ok "SIGHUP ends record, which writes the profile" signal_ends HUP
records "record ends its command after --duration" 0 --period 101 --duration 2 -- \
	walker --rounds 100000000
ok "after --duration, no session, process or file is left" nothing_left

# chase is over long before the delay is; walker was forked before it.
cat >"$SCRATCH/phases" <<'END'
trap 'kill $!; exit' TERM
chase --size 2097152 --steps 20000 >/dev/null
walker --rounds 100000000 >/dev/null &
wait
END
records "a phase of a command is recorded" 0 --period 101 --delay 2 --duration 1 -- sh "$SCRATCH/phases"
ok "after --delay, the code that runs then is named" samples_of walk walker 100
code_row chase chase
ok "before --delay, nothing was recorded" test "$ROW" = 0
ok "after --delay, no session, process or file is left" nothing_left
rm -f "$FILE"
refuses "a command that ends before --delay is over is not recorded" 1 'has nothing' -- \
	memlat-ctl record --delay 600 -o "$FILE" -- sh -c 'walker --rounds 1 >/dev/null'
ok "a command that ends before --delay is over has no profile" test ! -e "$FILE"

# Commands that cannot be executed. The patterns are parts of the message.
rm -f "$FILE"
refuses "a command that does not exist is refused" 127 'nonesuch' 'no such command' -- \
	memlat-ctl record -o "$FILE" -- nonesuch
refuses "a file that is no program is refused" 126 '/etc/passwd' 'permission denied' -- \
	memlat-ctl record -o "$FILE" -- /etc/passwd
printf '#!/nowhere/sh\n' >"$SCRATCH/script"
chmod +x "$SCRATCH/script"
refuses "a script whose interpreter does not exist is refused" 126 'interpreter' -- \
	memlat-ctl record -o "$FILE" -- "$SCRATCH/script"
ok "none of the refused commands made a file" test ! -e "$FILE"
ok "after the refused commands, no session, process or file is left" nothing_left

# A command that cannot be recorded is not run either.
refuses "record is refused if there is nothing to record" \
	2 'what' 'COMMAND' '-p PID' -- memlat-ctl record -o "$FILE"
refuses "record is refused if the folder of -o does not exist" 1 '/nowhere/x' 'no such file' -- \
	memlat-ctl record -o /nowhere/x -- touch "$SCRATCH/marker"
mkdir "$SCRATCH/full"
mount -t tmpfs -o size=16k,mode=755 full "$SCRATCH/full" || tap_bail "cannot mount a tmpfs"
mount -o remount,ro "$SCRATCH/full"
refuses "record is refused if -o is on a read-only file system" 1 'read-only' -- \
	memlat-ctl record -o "$SCRATCH/full/x" -- touch "$SCRATCH/marker"
memlat-ctl start --ldlat 100 >/dev/null
refuses "record is refused while a session runs" 1 'runs already' 'memlat-ctl stop' -- \
	memlat-ctl record -o "$FILE" -- touch "$SCRATCH/marker"
ok "the running session goes on" figure_is ldlat 100
memlat-ctl stop >/dev/null
sysctl -q kernel.nmi_watchdog=1
refuses "record is refused while the NMI watchdog is on" \
	1 'NMI watchdog' 'sysctl kernel.nmi_watchdog=0' -- \
	memlat-ctl record -o "$FILE" -- touch "$SCRATCH/marker"
sysctl -q kernel.nmi_watchdog=0
ok "none of the refused records ran its command" test ! -e "$SCRATCH/marker"

# The disk is full when the profile is written. The older file stays.
mount -o remount,rw "$SCRATCH/full"
echo older >"$SCRATCH/full/x"
refuses "record says that the disk is full" 1 'full/x' 'no space' 'memlat-ctl report' -- \
	memlat-ctl record --period 101 -o "$SCRATCH/full/x" -- sh -c 'walker --rounds 2 >/dev/null'
ok "the older file on the full disk stays as it was" test "$(cat "$SCRATCH/full/"*)" = older
umount "$SCRATCH/full"

perf stat -a -e cycles -- sleep 1000 >/dev/null 2>&1 &
holder=$!
helpers+=("$holder")
wait_for 60 has_perf_event "$holder" || tap_bail "perf stat opens no event"
refuses "record is refused while perf runs, and names perf" 1 "\\<$holder\\>" 'perf' -- \
	memlat-ctl record -o "$FILE" -- touch "$SCRATCH/marker"
ok "the refusal names no other process" test "$(grep -c 'pid ' <<<"$ERR")" = 1
kill "$holder"
wait "$holder"

record_beside --period 101 -- walker --rounds 100000000
memlat-ctl stop >/dev/null
wait_for 60 grep -q 'somebody stopped the session' "$SCRATCH/beside.err"
wait "$RECORDER"
ok "if somebody else stops the session, record says so and writes the profile" \
	test $? = 1 -a -s "$FILE"

records "a program is recorded with --heap" 0 --heap --period 101 -- heap_sharing
ok "heap objects are named by the function that allocated them" \
	grep -q make_session <(memlat-ctl dcache --by heap -i "$FILE" --csv)
ok "no file of --heap's library is left" nothing_left

rmmod memlat
ok "no rule of the hardware was broken" no_violation
tap_finish
