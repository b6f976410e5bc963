#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names that are kept: of a program that has ended, of one in a container that is gone with its
# files, and of one that was deleted or replaced while it ran. And what is shown if there are none.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

EVER=100000000000

no_keeper()
{
	! keeper >/dev/null
}

# held NAME: the keeper has a file with this name open.
held()
{
	readlink "/proc/$(keeper)/fd/"* 2>/dev/null | grep -q "/$1\( (deleted)\)\?$"
}

sampled()
{
	sysfs_figure samples && ((FIGURE > BEFORE + 100))
}

# watched PATH: the keeper has the file open, and the session takes more samples.
watched()
{
	wait_for 60 held "${1##*/}" || return 1
	sysfs_figure samples && BEFORE=$FIGURE
	wait_for 60 sampled
}

# look FILE...: write the views of a profile, or of the running session, to $SCRATCH/seen.
look()
{
	local view

	for view in lines "dcache --by site"; do
		# shellcheck disable=SC2086	# words
		COLUMNS=500 memlat-ctl $view -n 0 "$@" && continue
		diag "status $?"
		return 1
	done >"$SCRATCH/seen" 2>&1
}

# tells PATTERN...: each pattern matches a row of the views.
tells()
{
	local pattern

	for pattern; do
		grep -Eq -- "$pattern" "$SCRATCH/seen" && continue
		diag "no $pattern in:" "$(grep -v 'too few samples' "$SCRATCH/seen" | head -n 60)"
		return 1
	done
}

# The views have function, source line and module of both writers, and both variables, as after
# record.
ended_program()
{
	look "$@" && tells 'writer_a.* false_sharing.c:[1-9].* false_sharing ' \
		'writer_b.* false_sharing.c:[1-9].* false_sharing ' \
		'shared_counters\.\{[ab],[ab]\} .* false_sharing:'
}

# A program in PID and mount namespaces of its own. The program's file is on a file system that ends
# with them.
container()
{
	cat >"$SCRATCH/inside" <<-END
		mount -t tmpfs none /mnt && cp "$WORKLOADS/field_sharing" /mnt/boxed &&
			exec nice -n 19 /mnt/boxed --iterations $EVER >/dev/null
	END
	unshare --pid --mount --fork --kill-child=KILL --mount-proc bash "$SCRATCH/inside" &
	BESIDE=$!
	helpers+=("$BESIDE")
	watched boxed && BOX=$(readlink "/proc/$BESIDE/ns/mnt") && is_used && end_beside && wait_for 10 is_gone
}

# is_used, is_gone: some process, or none, is in the container's mount namespace. Without a process
# its file systems are gone, but for what the keeper has open.
is_used()
{
	readlink /proc/[0-9]*/ns/mnt 2>/dev/null | grep -Fxq "$BOX"
}

is_gone()
{
	! is_used
}

end_beside()
{
	kill -KILL "$BESIDE" && ! wait "$BESIDE"
} 2>/dev/null

deleted()
{
	cp "$WORKLOADS/true_sharing" "$SCRATCH/deleted" &&
		beside "$SCRATCH/deleted" --iterations "$EVER" &&
		watched deleted && rm "$SCRATCH/deleted" && end_beside
}

replaced()
{
	cp "$WORKLOADS/read_mostly" "$SCRATCH/replaced" &&
		beside "$SCRATCH/replaced" --iterations "$EVER" &&
		watched replaced && cp "$WORKLOADS/chase" "$SCRATCH/new" &&
		mv "$SCRATCH/new" "$SCRATCH/replaced" && end_beside
}

all_named()
{
	ended_program && tells 'count_hit.* field_sharing.c:[1-9].* boxed ' 'stats\.per_cpu.* boxed:' \
		'add_one.* true_sharing.c:[1-9].* deleted ' 'shared_total\.total .* deleted:' \
		'read_limit.* read_mostly.c:[1-9].* replaced ' 'settings\.limit .* replaced:'
}

# The keeper is there, and has none of these programs' files open after they have ended.
lets_go()
{
	keeper >/dev/null && ! held boxed && ! held deleted && ! held replaced
}

refused()
{
	local before after

	before=$(keeper)
	! memlat-ctl start >/dev/null 2>"$SCRATCH/said" || return 1
	after=$(pidof memlat-ctl)
	[[ -n $before && $before == "$after" ]]
}

# says PATTERN COMMAND...: the command succeeds, and its output matches.
says()
{
	local pattern=$1

	shift
	"$@" >"$SCRATCH/said" 2>&1 && grep -Eq -- "$pattern" "$SCRATCH/said" && return
	diag "$(<"$SCRATCH/said")"
	return 1
}

in_container()
{
	unshare --pid --mount --fork --mount-proc "$@"
}

recorded_inside()
{
	in_container memlat-ctl record -o "$SCRATCH/inside.memlat" --period 211 -- \
		false_sharing --iterations 300000 >"$SCRATCH/said" 2>&1 &&
		grep -q -- '--pid=host' "$SCRATCH/said" &&
		ended_program -i "$SCRATCH/inside.memlat" && return
	diag "$(<"$SCRATCH/said")"
	return 1
}

# without_programs COMMAND...: as on a machine that has none of them.
without_programs()
{
	local status

	mount -t tmpfs none "$WORKLOADS" || return 1
	"$@"
	status=$?
	umount "$WORKLOADS"
	return "$status"
}

# How a program ($0) comes to a path ($1) at which another file is when record looks for its names. It
# has a mount namespace of its own.
# shellcheck disable=SC2016	# arguments of that shell
ELSEWHERE=(
	'bound over another file|mount --bind "$0" "$1" && exec "$1" --iterations 2000000'
	'on a file system that goes with it|mount -t tmpfs none "${1%/*}" && cp "$0" "$1" && exec "$1" --iterations 2000000'
	'replaced while it runs|cp "$1" "$1.new" && cp "$0" "$1" && { "$1" --iterations 2000000 & } &&
		until [ "$(readlink "/proc/$!/exe")" = "$1" ]; do :; done && mv "$1.new" "$1" && wait "$!"'
)

recorded_elsewhere()
{
	mkdir -p "$SCRATCH/services" && cp "$WORKLOADS/read_mostly" "$SCRATCH/services/svc" &&
		quiet memlat-ctl record -o "$SCRATCH/elsewhere.memlat" --period 211 -- unshare --mount sh -c \
			"$1" "$WORKLOADS/true_sharing" "$SCRATCH/services/svc" &&
		look -i "$SCRATCH/elsewhere.memlat" &&
		tells 'add_one.* true_sharing.c:[1-9].* svc ' 'shared_total\.total .* svc:'
}

# views_of PROFILE [COMMAND...]: what views show of a profile, run by that command, and what is exported.
views_of()
{
	local view profile=$1 file=$SCRATCH/exported
	local -x COLUMNS=500

	shift
	"$@" memlat-ctl report -i "$profile" || return
	for view in c2c lines "dcache --by data" "dcache --by site"; do
		# shellcheck disable=SC2086	# words
		"$@" memlat-ctl $view -i "$profile" -n 0 || return
	done
	"$@" memlat-ctl annotate -i "$profile" writer_a || return
	for view in variable function line; do
		"$@" memlat-ctl diff "$profile" "$profile" --by "$view" -n 0 || return
	done
	for view in type function; do
		"$@" memlat-ctl fleet "$profile" "$profile" --by "$view" -n 0 || return
	done
	for view in folded callgrind pprof; do
		"$@" memlat-ctl export -i "$profile" --format "$view" -o "$file" &&
			"$@" cat "$file" || return
	done
	"$@" memlat-ctl report --html -i "$profile" -o "$file" && "$@" cat "$file"
}

# The profile of a program that was replaced by another build of it, and then removed.
reads_the_same()
{
	local profile=$SCRATCH/before.memlat

	cp "$WORKLOADS/false_sharing" "$SCRATCH/app" &&
		quiet memlat-ctl record -o "$profile" --period 211 -- "$SCRATCH/app" --iterations 300000 &&
		views_of "$profile" >"$SCRATCH/before" &&
		grep -q 'writer_a.*false_sharing.c:[1-9]' "$SCRATCH/before" &&
		objcopy --remove-section .note.gnu.build-id "$WORKLOADS/false_sharing" "$SCRATCH/new" &&
		mv "$SCRATCH/new" "$SCRATCH/app" && views_of "$profile" >"$SCRATCH/after" &&
		diff -a "$SCRATCH/before" "$SCRATCH/after" >&2 && rm "$SCRATCH/app" &&
		views_of "$profile" >"$SCRATCH/after" && diff -a "$SCRATCH/before" "$SCRATCH/after" >&2
}

# The program was changed, built and recorded again: diff names what both of them had, and the first
# profile reads as before.
compares_with_changed()
{
	local profile=$SCRATCH/before.memlat names

	cp "$WORKLOADS/true_sharing" "$SCRATCH/app" &&
		quiet memlat-ctl record -o "$SCRATCH/after.memlat" --period 211 -- "$SCRATCH/app" --iterations 300000 &&
		names=$(COLUMNS=500 memlat-ctl diff "$profile" "$SCRATCH/after.memlat" --by variable -n 0) || return 1
	has "variables" "$(grep -o 'shared_[a-z]*' <<<"$names")" shared_counters shared_total &&
		names=$(COLUMNS=500 memlat-ctl diff "$profile" "$SCRATCH/after.memlat" --by function -n 0) &&
		has "functions" "$(grep -oE 'writer_[ab]|add_one' <<<"$names")" writer_a writer_b add_one &&
		views_of "$profile" >"$SCRATCH/after" && diff -a "$SCRATCH/before" "$SCRATCH/after" >&2 &&
		rm "$SCRATCH/app"
}

# The same profile in a root file system that has memlat-ctl and no other program of the project's.
in_another_root()
{
	local root=$SCRATCH/root tool name

	tool=$(command -v memlat-ctl) && mkdir -p "$root/usr" "$root/etc" "$root$SCRATCH" "$root${tool%/*}" &&
		cp "$tool" "$root$tool" && cp "$SCRATCH/before.memlat" "$root$SCRATCH" || return 1
	for name in bin lib lib64; do
		ln -s "usr/$name" "$root/$name"
	done
	unshare --mount sh -c "mount --bind /usr '$root/usr' && exec sleep 1000" &
	helpers+=("$!")
	wait_for 10 test -e "/proc/$!/root$root/usr/lib" || return 1
	views_of "$SCRATCH/before.memlat" nsenter --mount --target "$!" chroot "$root" >"$SCRATCH/after" &&
		diff -a "$SCRATCH/before" "$SCRATCH/after" >&2
}

tap_header
need_module
need_emulator
tap_plan $((23 + ${#ELSEWHERE[@]}))

ok "a session starts" memlat-ctl start --ldlat 30 --period 211
ok "a process that keeps names stays" keeper
quiet false_sharing --iterations 1000000
ok "the views have all names of a program that has ended" ended_program
ok "a second start is refused, and the process that keeps names stays" refused
ok "a program in a container is sampled, and ends with its files" container
ok "a program is sampled, and deleted while it runs" deleted
ok "a program is sampled, and its file replaced while it runs" replaced
ok "the views have all names of these programs" all_named
ok "no file of a program that has ended stays open" wait_for 10 lets_go
ok "stop succeeds" quiet memlat-ctl stop
ok "the process that keeps names ends after stop" no_keeper
ok "the views have all names after stop" all_named
ok "the views have all names when the programs are gone" without_programs all_named
ok "another session starts" quiet memlat-ctl start --ldlat 30 --period 211
kill -KILL "$(keeper)"
quiet false_sharing --iterations 1000000
ok "a view says that the process that keeps names was killed" \
	says 'process that keeps names.*killed' memlat-ctl lines -n 0
ok "the module can be unloaded during a session" rmmod memlat
ok "the module loads" insmod "$MODULE"
ok "in another PID namespace start says what to type" says '--pid=host' in_container memlat-ctl start
memlat-ctl stop >/dev/null
ok "record in another PID namespace names its command, and says what is missing" recorded_inside
for elsewhere in "${ELSEWHERE[@]}"; do
	ok "record names a program that is ${elsewhere%%|*}" recorded_elsewhere "${elsewhere#*|}"
done
ok "a profile reads the same after its program was built anew, and after it was removed" reads_the_same
ok "diff names what a program had before and after it was changed" compares_with_changed
ok "a profile reads the same in a container with another root file system" in_another_root
ok "the module can be unloaded" rmmod memlat
tap_finish
