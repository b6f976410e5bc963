#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Objects of the kernel without its debug information. Two threads of a module fight over an object
# of the module's slab cache. With the module's BTF the object's members are named, without it the
# cache and the offset. Words in memory of vmalloc() are named by the caller of vmalloc(). In a
# storm of forks, objects of a cache for one type have no other type.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"
# shellcheck source=selftests/memlat/profiles.sh
. "$(dirname -- "$0")/profiles.sh"

SHARING=$TESTS/kvm/slab_sharing.ko
PARAMETERS=/sys/module/slab_sharing/parameters

# record_kernel NAME OPTION...: record with the kernel's code.
record_kernel()
{
	memlat-ctl record -o "$SCRATCH/$1.memlat" --period 53 --store-period 509 "${@:2}" \
		>"$SCRATCH/$1.answer" 2>"$SCRATCH/$1.said" && return
	diag "status $?: $(<"$SCRATCH/$1.said")"
	return 1
}

begin_sharing()
{
	insmod "$SHARING" cpus=0,2 || return 1
	OBJECT=$(printf '0x%x' "$(<"$PARAMETERS/object")")
	WORD=$(<"$PARAMETERS/word")
	diag "object $OBJECT, BTF of the module: $(ls /sys/kernel/btf)"
}

# named OFFSET: print the name that views must have for this place in the object.
named()
{
	if [[ -e /sys/kernel/btf/slab_sharing ]]; then
		case $1 in
		0) echo "struct sharing.mine" ;;
		8) echo "struct sharing.yours" ;;
		64) echo "struct sharing.ours" ;;
		esac
	else
		printf 'memlat_sharing +0x%02x\n' "$1"
	fi
}

# line_is OFFSET VERDICT OFFSET...: the line at this offset of the object has the verdict, and rows
# of these places.
line_is()
{
	local line verdict=$2 offset names=()

	line=$(printf '0x%x' $((OBJECT + $1)))
	for offset in "${@:3}"; do
		names+=("$(named "$offset")")
	done
	view sharing c2c || return 1
	is "verdict of $line" "$(json_check --in /lines "addr=$line" /verdict <"$VIEW")" "$verdict" &&
		has "rows of $line" "$(json_check --in /lines "addr=$line" --each /rows /data <"$VIEW")" "${names[@]}"
}

# The words' line has rows of both words, named by vmalloc()'s caller.
words_are()
{
	local line

	line=$(printf '0x%x' "$WORD")
	view sharing c2c || return 1
	is "verdict of $line" "$(json_check --in /lines "addr=$line" /verdict <"$VIEW")" false_sharing &&
		has "rows of $line" "$(json_check --in /lines "addr=$line" --each /rows /data <"$VIEW")" \
			"vmalloc by make_words +0x1040" "vmalloc by make_words +0x1048" || return 1
	view sharing dcache --by site || return 1
	is "how" "$(json_check --in /sites function=count_word /data_how <"$VIEW")" vmalloc
}

how_it_is_known()
{
	local how=slab

	[[ ! -e /sys/kernel/btf/slab_sharing ]] || how=operand
	view sharing dcache --by site || return 1
	is "how" "$(json_check --in /sites function=count_mine /data_how <"$VIEW")" "$how"
}

# Caches of one type, and the type that the kernel uses each of them for. A cache that was merged
# with others is called "or merged" in the view, so it is not found here.
declare -A TYPE_OF=([task_struct]=task_struct [vm_area_struct]=vm_area_struct [mm_struct]=mm_struct
	[signal_cache]=signal_struct [sighand_cache]=sighand_struct [files_cache]=files_struct
	[fs_cache]=fs_struct [anon_vma]=anon_vma)

# Write the parts of each type to a file. pahole, another reader of the kernel's BTF, prints them.
read_parts()
{
	local all="${TYPE_OF[*]}"

	pahole -E -C "${all// /,}" /sys/kernel/btf/vmlinux >"$SCRATCH/parts" 2>"$SCRATCH/pahole" || {
		diag "$(<"$SCRATCH/pahole")"
		return 1
	}
	awk -v folder="$SCRATCH" '/^struct [a-z_]+ {/ { file = folder "/" $2 ".parts" } file { print >file }' "$SCRATCH/parts"
}

# An object in a cache of one type has that type, or the type of a part of it.
caches_agree()
{
	local cache type whole failed=0 seen=0

	read_parts && memlat-ctl dcache --by object -i "$SCRATCH/storm.memlat" --json -n 0 >"$SCRATCH/storm.objects" || return 1
	while IFS=$'\t' read -r type cache; do
		whole=${TYPE_OF[$cache]-}
		[[ -n $whole ]] || continue
		seen=$((seen + 1))
		# pahole does not name a type without a name either.
		[[ $type == "struct $whole" || $type == *"{...}" ]] && continue
		grep -Eq "(^|[^a-z_])$type([^a-z_]|$)" "$SCRATCH/$whole.parts" && continue
		diag "an object of the cache $cache is called $type"
		failed=1
	done < <(json_check --each /objects /data_type /data_cache <"$SCRATCH/storm.objects")
	diag "$seen objects of caches for one type"
	((seen > 5 && !failed))
}

# The storm belongs to a memory cgroup of its own. The kernel counts the pages of such a group in per-CPU
# memory of vmalloc(), with each page fault. Else Linux 6.1 has next to nothing there to store to.
record_storm()
{
	local groups=$SCRATCH/groups

	mkdir -p "$groups" && mount -t cgroup2 none "$groups" && echo +memory >"$groups/cgroup.subtree_control" &&
		mkdir "$groups/storm" || return 1
	# shellcheck disable=SC2016	# its own argument
	record_kernel storm -- bash -c 'echo $$ >"$0" && exec storm --processes 20 --loads 200' "$groups/storm/cgroup.procs"
}

# Stacks, page tables and pages of programs are named as such, and no address of the kernel's map is
# without a name.
memory_has_a_word()
{
	local regions

	memlat-ctl dcache --by region -i "$SCRATCH/storm.memlat" --json -n 0 >"$SCRATCH/storm.regions" || return 1
	regions=$(json_check --each /regions /data_kind /data <"$SCRATCH/storm.regions" | sed -n 's/^kernel\t//p')
	has "regions" "$regions" "[kernel stack]" "[kernel per-CPU memory]" "[kernel direct map of anonymous memory]" || return 1
	# Before 6.11, the kernel does not keep a page's type.
	[[ $(uname -r) == 6.1.* ]] || has "regions" "$regions" "[kernel page tables]" || return 1
	! grep -Fxq "[kernel]" <<<"$regions" && return
	diag "no area has: $(json_check --in /regions "data=[kernel]" /access_addr <"$SCRATCH/storm.regions")"
	return 1
}

# What is loaded (+) and unloaded; the name that a sampled function must have at the end, "null" for
# none; and a pattern of names that no function may have.
MODULES=(
	'+first -first +second|second_count, or before that of the module first|(first|second)_count'
	'+first -first|null|(first|second)_count.*|memlat_.*init'
)

# The kernel may put a module where one was before. At the end it has symbols of the last one alone.
modules_are_told_apart()
{
	local steps name none functions

	IFS='|' read -r steps name none <<<"$1"
	# shellcheck disable=SC2016,SC2086	# its own arguments, and words
	record_kernel modules --period 809 --store-period 4001 -- bash -c 'for step; do
		case $step in
		+*) insmod "$0/${step#+}.ko" && cat "/sys/module/${step#+}/sections/".text* ;;
		-*) rmmod "${step#-}" ;;
		esac || exit
		done' "${SHARING%/*}" $steps || return 1
	[[ ! -e /sys/module/second ]] || rmmod second || return 1
	view modules dcache --by site && functions=$(json_check --each /sites /function <"$VIEW") || return 1
	rm "$SCRATCH"/modules.*.json
	diag "code at" "$(<"$SCRATCH/modules.answer")"
	grep -Fxq -- "$name" <<<"$functions" && ! grep -Exq -- "$none" <<<"$functions" && return
	diag "functions:" "$(sort <<<"$functions" | uniq -c)"
	return 1
}

# The kind of map, and patterns: of a line's verdict and data, or else of data that is accessed.
MAPS=(
	'array|false_sharing BPF map cells\[[0-3]\], BPF map cells\[[0-3]\]'
	'mapped|false_sharing BPF map cells\[[0-3]\], BPF map cells\[[0-3]\]'
	'hash|BPF map cells\.elems\[[0-9]+\]\+0x38'
	'percpu|BPF map cells of CPU 0\[3\]|BPF map cells of CPU [1-3]\[3\]'
	'percpu_hash|BPF map cells of CPU 0\.elems\[[0-9]+\]|BPF map cells of CPU [1-3]\.elems\[[0-9]+\]'
)

# The map and its program are gone when the session ends.
map_is_named()
{
	local kind names rows name

	IFS='|' read -r kind names <<<"$1"
	record_kernel "$kind" -- bpf_cells "$kind" && view "$kind" c2c &&
		rows=$(json_check --each /lines /verdict /data <"$VIEW") && view "$kind" dcache --by data &&
		rows+=$'\n'$(json_check --each /fields /data /data_field <"$VIEW") || return 1
	rows=$(sed 's/^\(BPF [^\t]*\)\t/\1/; s/\t/ /' <<<"$rows")
	while IFS= read -r name; do
		grep -Exq -- "$name" <<<"$rows" && continue
		diag "$kind: no '$name' among:" "$(grep BPF <<<"$rows")"
		return 1
	done <<<"${names//|/$'\n'}"
	is "how" "$(json_check --each /fields /data /data_how <"$VIEW" | sed -n 's/^BPF map [^\t]*\t//p' | sort -u)" bpf_map
}

tap_header
need_module
need_emulator
command -v pahole >/dev/null || tap_skip_all "needs pahole"
[[ -e $SHARING ]] || tap_bail "$SHARING was not built"
tap_plan $((10 + ${#MODULES[@]} + ${#MAPS[@]}))
ok "a module with an object of its own slab cache loads" begin_sharing
keep_kernel_names
ok "the module's threads are recorded" record_kernel sharing -a --duration 0.3
ok "the object's first line has false sharing of two members" line_is 0 false_sharing 0 8
ok "the object's second line has true sharing of one member" line_is 64 true_sharing 64
ok "the view says how the object is known" how_it_is_known
ok "words of vmalloc() have false sharing, and are named by the caller" words_are
ok "the module can be unloaded" rmmod slab_sharing
for modules in "${MODULES[@]}"; do
	ok "modules, ${modules%%|*}: none has another one's name" modules_are_told_apart "$modules"
done
for map in "${MAPS[@]}"; do
	ok "a map of BPF, ${map%%|*}: it is named, and its elements" map_is_named "$map"
done
ok "a storm of forks is recorded" record_storm
ok "no object in a cache of one type has another type" caches_agree
ok "memory that is no object is named after its use" memory_has_a_word

forget_kernel_names
rmmod memlat
rmdir "$SCRATCH/groups/storm" && umount "$SCRATCH/groups"
tap_finish
