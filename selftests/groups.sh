# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2086	# what selftests/check reads; words of $FAST
#
# The groups of tests, for selftests/check. A group is a guest with its tests, or a program on the
# host.
#
#	guest NAME SET BUDGET TEST... -- OPTION...
#	host NAME SET
#
# SET is "check", "more", "built", "tools" or "asked"; Documentation/testing.rst ("What is in which
# check") says what they are. BUDGET is how many million instructions the guest may execute. The
# emulated machine counts them, so they depend neither on the host nor on its load, and a guest that
# executes more has grown. `check --budgets` prints what each guest executed. Most budgets are 15 % more
# than that. Those of groups that run only when they are named are round numbers.

# The groups in the order in which they are told of.
GROUPS_ALL=()
declare -A GROUP_SET=() GROUP_BUDGET=() GROUP_TESTS=() GROUP_OPTIONS=()
# Without page-table isolation (Meltdown), randomized addresses and read-only kernel memory. The
# guests of the three kernels themselves have all that, and so has one machine that needs isolation.
FAST=--fast
# For tests that need no samples of kernel code: the machine watches only programs.
PROGRAMS="--vpebs kernel=off"
# How many shares there are: the last one has the set "tools", the one before it the set "built", and
# the groups of the set "more" are dealt to the others.
SHARES=7

# share_of N: print the groups of share N, one a line. A dealt group, the longest first, goes to the
# share that has least to do so far. A host's group counts as 12,000 million instructions.
share_of()
{
	local name size i least wanted=$1 dealt=$((SHARES - 2)) load=()

	case $wanted in
	"$SHARES") set_of tools ;;
	"$((SHARES - 1))") set_of built ;;
	*)
		for ((i = 1; i <= dealt; i++)); do
			load[i]=0
		done
		while read -r size name; do
			least=1
			for ((i = 2; i <= dealt; i++)); do
				((load[i] >= load[least])) || least=$i
			done
			load[least]=$((load[least] + size))
			((least != wanted)) || echo "$name"
		done < <(for name in $(set_of more); do
			echo "${GROUP_BUDGET[$name]:-12000} $name"
		done | sort -k1,1rn -k2)
		;;
	esac
}

# set_of SET: print the groups of a set, one a line.
set_of()
{
	local name

	for name in "${GROUPS_ALL[@]}"; do
		[[ ${GROUP_SET[$name]} != "$1" ]] || echo "$name"
	done
}

host()
{
	GROUPS_ALL+=("$1")
	GROUP_SET[$1]=$2
}

guest()
{
	local name=$1 tests=()

	host "$name" "$2"
	GROUP_BUDGET[$name]=$3
	shift 3
	while [[ $1 != -- ]]; do
		tests+=("$1")
		shift
	done
	shift
	GROUP_TESTS[$name]=${tests[*]}
	GROUP_OPTIONS[$name]=$*
}

# ------------------------------------------------------------------------------------------------------------- every time

# The tests of this host: the cheapest, and they see most bugs.
host unit-memlat check
host unit-tools check
# What the PMI may call: a mistake there stops a machine.
host nmi check
# Random programs, natively and compiled, and verdicts of ten: a minute and a half of a CPU.
host unit-judge check
# The corpus: whatever once broke a reader of bytes.
host fuzz check
# `make demo`, as the README shows it: a newcomer's first command.
host demo check
# Reports drawn by a browser, which it installs, held against the profiles.
host pages check
# Each value of each export, likewise.
host values check

# The main job, with perf as the judge.
guest main check 5950 judge_perf.sh test_model test_pmi test_aslr test_attribution test_tables --
# Tests that need no samples of kernel code. The machine then watches only programs, which is
# several times as fast.
guest abi check 5550 test_abi test_abi_read test_abi_start test_sysfs.sh test_cli.sh -- $FAST $PROGRAMS
# Whatever else uses the PMU: other drivers, hypervisors, firmware, and a driver that left counters
# frozen. And privileges, whose test is the last one because it locks the guest's kernel down.
guest hard check 17950 test_exclusion.sh test_life.sh test_nmi.sh test_vmx.sh test_firmware.sh test_still.sh \
	test_privilege.sh -- $FAST $PROGRAMS
# Beside guests of a stand-in for KVM, which works in kernel mode.
guest guests check 8500 test_guests.sh -- --cpu icx $FAST
# What users see of programs with known results, and hotplug of four CPUs.
guest views check 13600 test_views.sh test_hotplug.sh -- --cpu icx --smp 4 $FAST $PROGRAMS
# On the other two kernels: what depends on the kernel's internals.
guest 6.1 check 7500 test_abi test_abi_read test_model test_pmi -- --kernel 6.1
# With page table isolation, so what was drained must not stay in the buffer.
guest 6.12 check 3050 test_abi test_model test_pmi -- --kernel 6.12 --vpebs clear=on
# One machine for each way to enable and acknowledge the PMU and to write records (skx, above, is
# one).
guest nhm check 1250 test_model test_pmi -- --cpu nhm $FAST
guest ivb check 1350 test_model test_pmi -- --cpu ivb $FAST
guest hsw check 3050 test_model test_pmi -- --cpu hsw
guest adl check 2450 test_model test_pmi judge_perf.sh -- --cpu adl $FAST
guest lnl check 1300 test_model test_pmi -- --cpu lnl $FAST
guest cwf check 2500 test_model test_pmi judge_perf.sh -- --cpu cwf $FAST
# A machine on which memlat must refuse to load.
guest none check 3000 test_nopebs.sh test_doctor.sh -- --cpu none

# -------------------------------------------------------------------------------------------- more: the rest of the main kernel

guest main-more more 6950 test_scope test_count test_phys test_callgraph test_stride --
guest abi-more more 1850 test_filter.sh test_prefetch.sh -- $FAST $PROGRAMS
# The same ABI for 32-bit programs.
guest main-32 more 2450 test_abi32 test_abi_read32 test_abi_start32 test_abi32.sh -- $FAST $PROGRAMS
guest hard-more more 9350 test_takeover.sh test_pmi_rate.sh test_cost.sh test_endless.sh -- $FAST
# Without page table isolation, on the model of many servers.
guest many more 12600 test_cycles.sh test_storm.sh -- --cpu icx $FAST
guest million more 6300 test_million test_pmi_rate.sh -- --cpu icx $FAST
# Snapshots that nobody reads.
guest memory more 3650 test_memory.sh -- --mem 1G $FAST $PROGRAMS
# As many records as can be requested.
guest flood more 11500 test_flood.sh -- $FAST
# What start, stop, snapshot and so on cost for each CPU.
guest sizes-2 more 2000 test_sizes.sh -- $FAST $PROGRAMS
guest sizes-8 more 7250 test_sizes.sh test_holes.sh test_starve.sh -- --smp 8 $FAST $PROGRAMS
# On a machine with its own clock, on which loads wait for memory.
guest timing more 38800 test_count_truth test_scale test_bus.sh test_try.sh test_advise.sh test_calibrate.sh -- --smp 4 --vpebs timing=on \
	$FAST

# ---------------------------------------------------------------------------------- more: the other views, budget, going down

guest views-more more 63500 test_doctor.sh test_record.sh test_names.sh test_stride.sh test_selftest.sh -- --cpu icx \
	--smp 4 $FAST
guest typed more 18850 test_typed.sh -- --cpu icx --smp 4 $FAST $PROGRAMS
# Objects of the kernel, on a kernel whose modules have BTF and on one whose modules have none.
guest objects more 28900 test_objects.sh -- --cpu icx --smp 4 $FAST
guest objects-6.1 more 17100 test_objects.sh -- --kernel 6.1 --cpu icx --smp 4 $FAST
# perf's types compared with memlat's, also of the kernel's code.
guest types more 33400 judge_types.sh -- --cpu icx --smp 4 $FAST
# Every command that memlat-ctl prints, typed.
guest printed more 18000 test_printed.sh -- --cpu icx $FAST $PROGRAMS
# What diff says of ten programs that were mended, not changed, or made worse, where the store after the
# one that overflows is recorded, so that a period in step with a loop shows one of its stores alone.
guest pairs more 11750 test_pairs.sh -- --cpu skx --smp 4 --vpebs tag=30 --vpebs after=on --vpebs wait=on $FAST $PROGRAMS
# The same where stores are precisely distributed.
guest pairs-spr asked 200000 test_pairs.sh -- --cpu spr --smp 4 --vpebs tag=30 --vpebs after=on --vpebs wait=on $FAST $PROGRAMS
# top on a terminal of its own.
guest top more 17300 test_top.sh -- $FAST $PROGRAMS
# Names of programs that have ended, of containers, and of deleted files.
guest kept more 7450 test_kept.sh -- --cpu icx --smp 4 $FAST $PROGRAMS
# Exports of a running session: metrics, a report, a function.
guest handon more 2150 test_handon.sh -- --cpu icx --smp 4 $FAST $PROGRAMS
# A session that runs for days, by the units.
guest always more 13450 test_always.sh -- $FAST $PROGRAMS --add userspace/system
# What the unit runs, when sessions end by themselves.
guest rearm more 2150 test_rearm.sh -- $FAST $PROGRAMS
# The README's command fifty times, in two guests. Once more on a machine that tags one load in 30, so that
# few loads of the line are sampled, or none.
for seed in 1 2; do
	guest heap-seeds-from-$seed more 41500 MEMLAT_SEED=$seed MEMLAT_RUNS=25 test_heap_seeds.sh -- --cpu icx --smp 4 $FAST
done
unset seed
guest heap-seeds-30 more 33100 test_heap_seeds.sh -- --cpu icx --smp 4 --vpebs tag=30 --vpebs after=on --vpebs wait=on $FAST
# Strides if each load is sampled, and if one in 14 and one in 100 is tagged, as on real CPUs.
declare -A TAG_BUDGET=([1]=28000 [14]=13400 [100]=2050)
for tag in 1 14 100; do
	guest stride-$tag more "${TAG_BUDGET[$tag]}" test_stride_tag.sh -- --cpu icx --vpebs tag=$tag --vpebs after=on \
		--vpebs wait=on $FAST $PROGRAMS
done
unset tag
# skx distinguishes HITM within a socket. icx, on which test_views.sh runs, does not.
guest sockets more 1300 test_sockets.sh -- --smp 4 $FAST $PROGRAMS
# perf c2c compared with memlat.
guest c2c more 26300 judge_c2c.sh test_c2c.sh -- --cpu icx --smp 4 $FAST
# What perf recorded without the module. CPUs take turns after 100 instructions, so that enough loads
# find what the other CPU has stored.
guest import more 24800 test_import.sh -- $FAST --vpebs turns=100
# What perf's engine samples without the module: on cores that need an event beside loads, and on
# two kinds of cores, too. And beside what is in the way of that.
# While top finds names, the program runs again and again, which takes the more the longer that is.
for cpu in skx icx adl spr gnr; do
	guest engine-$cpu more 56500 test_engine.sh -- --cpu $cpu $FAST --vpebs turns=100
done
unset cpu
# The same gains by perf's engine as by the module, on a machine with its own clock.
guest engine-try asked 200000 MEMLAT_ENGINE=perf test_try.sh -- --smp 4 --vpebs timing=on $FAST
# Strides, which it finds by bursts of interrupts, and the live screen.
guest engine-stride more 3700 MEMLAT_ENGINE=perf test_stride.sh -- --cpu icx $FAST --vpebs turns=100
# And where perf_event_open() knows less.
guest engine-5.10 more 4500 MEMLAT_ENGINE=perf test_stride.sh -- --kernel 5.10 --cpu icx $FAST --vpebs turns=100
guest engine-top asked 200000 MEMLAT_ENGINE=perf test_top.sh -- $FAST $PROGRAMS
guest engine-beside more 17050 test_engine_beside.sh -- --cpu icx $FAST --vpebs turns=100
# Firmware that left counters on or frozen, and a hypervisor that ignores writes to a register.
guest firmware-fixed more 2300 MEMLAT_STATE=fixed test_firmware.sh -- --vpebs firmware=fixed $FAST
guest firmware-freeze more 3100 MEMLAT_STATE=freeze test_firmware.sh test_pmi -- --cpu icx --vpebs freeze=on $FAST
guest firmware-swallow more 1050 MEMLAT_STATE=swallow test_firmware.sh -- --vpebs swallow=on $FAST
guest firmware-stuck more 1700 MEMLAT_STATE=stuck test_nmi.sh -- --vpebs stuck=on $FAST
guest hold more 2750 test_hold.sh -- --vpebs hold=on $FAST
guest budget more 5850 test_budget.sh -- $FAST
guest prefetch more 2400 test_prefetch.sh -- --cpu hsw --vpebs prefetch=on $FAST
guest prefetch-hybrid more 1200 test_prefetch.sh -- --cpu adl $FAST
guest prefetch-threads more 1500 test_prefetch_threads.sh -- --cpu hsw --smp 4 --nodes 1 --vpebs threads=2 $FAST
# Verdicts on sharing, with each load seen and with one in 30: on CPUs with code 7, with two
# latencies, and on E-cores.
NASTY="--smp 4 --vpebs after=on --vpebs wait=on $FAST $PROGRAMS"
for cpu in skx icx adl spr gnr lnl; do
	guest verdicts-$cpu more 5800 test_verdicts.sh -- --cpu $cpu $NASTY
	guest verdicts-$cpu-30 more 4400 MEMLAT_TAG=30 test_verdicts.sh -- --cpu $cpu --vpebs tag=30 $NASTY
done
# Whether perf's and memlat's latency is the same, on cores that report two latencies.
for cpu in adl spr gnr; do
	guest latency-$cpu more 3800 judge_latency.sh -- --cpu $cpu --vpebs after=on --vpebs wait=on $FAST $PROGRAMS
done
unset cpu
host suspend-newest more
host suspend-6.1 more
host reboot more
host lab more
host coverage tools
# Reads exports of a profile with the tools that they are made for, which it installs.
host exports more
# Reports as a browser prints them, and how long it takes to open them.
host html more
# How long the operands of a large program take, and how much memory.
host speed more

# ------------------------------------------------------------------------------------------------ more: the rest of two kernels

guest 6.1-more more 14100 judge_perf.sh judge_c2c.sh test_abi_start test_sysfs.sh test_aslr test_attribution test_tables test_scope \
	test_count -- --kernel 6.1
guest 6.1-rest more 7950 test_phys test_callgraph test_stride -- --kernel 6.1
guest 6.1-hard more 16500 test_exclusion.sh test_life.sh test_hotplug.sh test_nmi.sh test_vmx.sh test_takeover.sh \
	test_endless.sh test_privilege.sh -- --kernel 6.1 $FAST $PROGRAMS
guest guests-6.1 more 6650 test_guests.sh -- --kernel 6.1 $FAST
guest guests-5.10 more 7200 test_guests.sh -- --kernel 5.10 $FAST
# As many guests as a busy host enters in ten seconds, and where perf holds the PMU.
guest guests-many more 17400 MEMLAT_PAIRS=50000 test_guests.sh -- --cpu icx $FAST
guest guests-cwf more 8200 test_guests.sh -- --cpu cwf $FAST
guest guests-lnl more 8000 test_guests.sh -- --cpu lnl $FAST
# The oldest kernel, which the lab downloads the first time: the main job, the ABI and cgroups, interrupts, and what depends on the
# kernel's internals or on what perf says of it.
guest 5.10 more 8500 judge_perf.sh test_model test_pmi test_aslr test_attribution test_tables -- --kernel 5.10
guest 5.10-abi more 7750 test_abi test_abi_read test_abi_start test_sysfs.sh test_cli.sh test_filter.sh -- --kernel 5.10 $FAST $PROGRAMS
guest 5.10-hard more 12900 test_exclusion.sh test_life.sh test_hotplug.sh test_nmi.sh test_vmx.sh test_endless.sh \
	test_privilege.sh -- --kernel 5.10 $FAST $PROGRAMS
guest 5.10-kept more 8750 test_kept.sh -- --kernel 5.10 --cpu icx --smp 4 $FAST $PROGRAMS
host 5.10-nmi more
# A client, whose APIC is used through its page, and of which this kernel knows less.
guest 5.10-adl more 1150 test_model test_pmi -- --kernel 5.10 --cpu adl $FAST
guest 5.10-import more 15250 test_import.sh -- --kernel 5.10 $FAST --vpebs turns=100
# A kernel with PREEMPT_RT, which the lab downloads the first time.
guest rt more 7800 test_rt.sh test_abi test_pmi test_nmi.sh test_life.sh -- --kernel rt $FAST $PROGRAMS
# A crash of that kernel while PEBS is on.
host reboot-rt more
# A CPU without a tick, on a machine on which loads and stores take turns, and on one where perf
# holds the PMU for memlat. With one node: if a node has a single CPU, the kernel's threads of that
# node have no other one.
NOHZ="--nodes 1 --append nohz_full=1 --append rcu_nocbs=1 $FAST"
guest nohz more 2500 test_nohz.sh -- --cpu ivb $NOHZ
guest nohz-unseen more 2500 test_nohz.sh -- --cpu lnl $NOHZ
# A real-time task that never leaves such a CPU. On a CPU with a tick, RCU stalls with or without
# memlat.
guest rt-nohz more 1500 test_endless.sh -- --kernel rt $NOHZ
# Page tables of five levels, which the kernel enables when it unpacks itself. Also with page table
# isolation.
guest five more 5300 test_five_levels.sh test_model test_pmi test_abi -- --cpu icx
guest five-pti more 5500 test_five_levels.sh test_model test_pmi test_abi -- --cpu icx --append pti=on
# Compile against kernels with other configurations than Debian's. Three of them are built the first
# time.
host configs built
# Packages of RPM, which the lab's root builds and a bare root installs.
host rpm more
# A kernel built by clang with KCFI and IBT.
guest kcfi built 8050 test_model test_pmi test_abi test_life.sh test_vmx.sh test_hotplug.sh test_privilege.sh -- \
	--kernel kcfi
guest guests-kcfi built 8500 test_guests.sh -- --kernel kcfi --cpu icx $FAST
# A crash of that kernel: stopping a CPU probes the NMI.
host reboot-kcfi built
# A kernel with as few features as memlat can live with.
guest bare built 2250 test_pmi test_abi test_life.sh test_cli.sh -- --kernel bare
# A kernel that loads only what it has signed, and that is locked down.
guest signed built 3400 test_signed.sh test_abi test_privilege.sh -- --kernel signed
# A jump into another kernel and back, which no kernel of Debian's supports.
host jump built
guest 6.12-more more 3450 test_abi_read test_tables -- --kernel 6.12

# ------------------------------------------------------------------------------------- more: every model, every table of sources

guest nhm-more more 7200 judge_perf.sh test_sources test_count -- --cpu nhm $FAST
guest wsm more 6500 test_model test_sources -- --cpu wsm $FAST
guest snb more 6600 test_model test_sources -- --cpu snb $FAST
guest ivb-more more 1950 judge_perf.sh -- --cpu ivb $FAST
guest hsw-more more 6850 judge_perf.sh test_sources -- --cpu hsw $FAST
guest bdw more 1150 test_model -- --cpu bdw $FAST
guest skl more 6650 test_model test_sources -- --cpu skl $FAST
guest skx more 5800 test_sources -- --cpu skx $FAST
guest clx more 1100 test_model -- --cpu clx $FAST
guest icl more 1100 test_model -- --cpu icl $FAST
guest tgl more 1100 test_model -- --cpu tgl $FAST
guest icx more 2450 test_model test_pmi judge_perf.sh -- --cpu icx $FAST
guest adl-more more 10500 test_sources -- --cpu adl $FAST
guest btl more 1300 test_model test_pmi -- --cpu btl $FAST
guest spr more 6550 test_model test_sources -- --cpu spr $FAST
guest emr more 1100 test_model -- --cpu emr $FAST
guest gnr more 1100 test_model -- --cpu gnr $FAST
guest mtl more 11400 test_model test_sources -- --cpu mtl $FAST
guest lnl-more more 22500 test_unreserved.sh judge_perf.sh test_sources -- --cpu lnl $FAST
guest arl more 11600 test_model test_sources -- --cpu arl $FAST
guest arlh more 16300 test_model test_sources -- --cpu arlh --smp 3 $FAST
guest srf more 6550 test_model test_sources -- --cpu srf $FAST
guest grr more 1100 test_model -- --cpu grr $FAST
# As many CPUs as the emulated machine can have.
guest sizes-64 more 5100 test_sizes.sh test_holes.sh -- --smp 64 $FAST $PROGRAMS
# Architectural PEBS: with page table isolation, with records in two fragments, and beside perf.
guest cwf-more more 19450 test_sources test_unreserved.sh test_count test_stride -- --cpu cwf $FAST
guest cwf-pti more 2800 test_model -- --cpu cwf --append pti=on
guest ptl more 12850 test_model test_pmi judge_perf.sh test_sources -- --cpu ptl $FAST
guest ptl-more more 23100 test_unreserved.sh test_callgraph test_hotplug.sh -- --cpu ptl $FAST
guest ptl-split more 2300 test_model judge_perf.sh -- --cpu ptl --vpebs split=on $FAST
# Machines whose source words have 16 bits.
guest nvl more 14050 test_model test_pmi judge_perf.sh test_sources -- --cpu nvl $FAST
guest dmr more 8150 test_model judge_perf.sh test_sources -- --cpu dmr $FAST
# Machines on which memlat must refuse to load.
guest knl more 1200 test_refusal.sh test_doctor.sh -- --cpu knl $FAST
guest guest-icx more 1200 test_refusal.sh test_doctor.sh -- --cpu guest-icx $FAST
guest cnl more 1200 test_refusal.sh test_doctor.sh -- --cpu cnl $FAST
guest fw-off more 1200 test_refusal.sh test_doctor.sh -- --cpu fw-off $FAST
guest snb-old more 1200 test_refusal.sh test_doctor.sh -- --cpu snb-old $FAST

# ---------------------------------------------------------------------------------- tools: the tree itself, and the tests' own test

host style tools
# A twelfth of the planted bugs, another one each time.
host mutate tools
# New inputs for whatever reads bytes from elsewhere, others each time.
host fuzz-new tools

# ------------------------------------------------------------------------------------------------- only when it is named

# Random calls without a rest, on the kernel of most groups. And tests that wear a machine down,
# more often.
guest main-fuzz asked 200000 test_races test_fuzz --
guest long asked 200000 MEMLAT_LONG=1 test_cycles.sh test_storm.sh test_million test_pmi_rate.sh test_hotplug.sh -- $FAST
# Programs that were not written for memlat, which the lab downloads the first time.
guest programs asked 200000 test_programs.sh -- --programs --cpu icx --smp 4 $FAST
guest programs-skx asked 200000 test_programs.sh -- --programs --cpu skx --smp 4 $FAST
# On the kernel that finds its own mistakes, which is built the first time. Most of what the machine
# would watch there is the kernel's own checks. Documentation/testing.rst ("The debug kernel") says
# what is left out, and why.
guest debug asked 900000 test_races test_fuzz test_fault test_fault_more -- --kernel debug --vpebs kernel=off --mem 2G
# test_races beside all else that uses the PMU, for 20 minutes of a CPU: a second of the guest takes
# 0.7 s, as the guest often sleeps. On the debug kernel a second took 0.46 s, and each kind of
# process succeeded there 5 to 110 times less often, so a twentieth is asked for.
guest storm asked 100000 MEMLAT_STORM=1 MEMLAT_SECONDS=1800 test_races -- $FAST --vpebs kernel=off
guest debug-storm asked 200000 MEMLAT_STORM=20 MEMLAT_SECONDS=2600 test_races -- --kernel debug --vpebs kernel=off --mem 2G
guest debug-suite asked 400000 test_abi test_abi_read test_abi_start test_sysfs.sh test_model test_pmi test_aslr test_attribution \
	test_exclusion.sh test_life.sh test_count test_cli.sh test_vmx.sh test_takeover.sh -- --kernel debug --vpebs kernel=off --mem 2G
guest debug-more asked 400000 test_nmi.sh test_hotplug.sh test_filter.sh test_doctor.sh test_storm.sh test_record.sh -- --kernel debug \
	--vpebs kernel=off --mem 2G
host packaging asked
