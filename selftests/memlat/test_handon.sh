#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Exports of a running session: metrics that only rise and say when another session began, as the
# unit writes them with its five capabilities; a report for a browser; a function by instruction.

# ok and similar functions call the functions here by name.
# shellcheck disable=SC2317

# shellcheck source=selftests/memlat/common.sh
. "$(dirname -- "$0")/common.sh"

EVER=100000000000
UNIT_CAPS=perfmon,sys_ptrace,dac_read_search,checkpoint_restore,syslog

sampled()
{
	sysfs_figure samples && ((FIGURE > BEFORE + 100))
}

more_samples()
{
	BEFORE=$FIGURE
	wait_for 60 sampled
}

# metrics NAME: write the metrics to this file as the unit does.
metrics()
{
	setpriv --bounding-set "-all,+${UNIT_CAPS//,/,+}" --inh-caps=-all --no-new-privs \
		memlat-ctl export --format prometheus -o "$SCRATCH/$1"
}

# figure FILE SERIES: print the series' value.
figure()
{
	awk -v series="$2" '$1 == series { print $2 }' "$SCRATCH/$1"
}

rises()
{
	local before after

	before=$(figure first "$1") after=$(figure second "$1")
	diag "$1: $before, then $after"
	[[ -n $before && -n $after ]] && ((after > before))
}

none_falls()
{
	awk 'NR == FNR { before[$1] = $2; next }
		$1 ~ /^[a-z_]+_(total|count|sum|bucket)([{]|$)/ {
			counters++
			if ($2 + 0 < before[$1] + 0) {
				print "# " $0
				fell = 1
			}
		}
		END { exit fell || !counters }' "$SCRATCH/first" "$SCRATCH/second"
}

same_session()
{
	local one other

	one=$(figure first memlat_session_start_time_seconds)
	other=$(figure second memlat_session_start_time_seconds)
	diag "sessions began at $one and $other"
	# Both are whole seconds, each computed from two clocks, so they may differ by one.
	[[ -n $one && -n $other ]] && ((other - one <= 1 && one - other <= 1))
}

names_the_line()
{
	grep 'memlat_contended_latency_ratio{' "$SCRATCH/second"
	grep -q 'memlat_contended_latency_ratio{verdict="false_sharing",process="false_sharing",data="shared_counters' "$SCRATCH/second"
}

another_session()
{
	local earlier now

	memlat-ctl stop && memlat-ctl start --ldlat 30 >/dev/null && metrics third || return 1
	earlier=$(figure second memlat_session_start_time_seconds)
	now=$(figure third memlat_session_start_time_seconds)
	diag "the session began at $earlier, the next at $now"
	((now > earlier)) &&
		(($(figure third 'memlat_samples_total{type="load"}') < $(figure second 'memlat_samples_total{type="load"}')))
}

report_is_made()
{
	memlat-ctl report --html -o "$SCRATCH/report.html" || return 1
	diag "$(wc -c <"$SCRATCH/report.html") bytes"
	[[ $(stat -c %a "$SCRATCH/report.html") == 600 ]] && grep -q '"data":"shared_counters' "$SCRATCH/report.html" &&
		grep -q '</html>' "$SCRATCH/report.html"
}

# The costliest function is one of the two writers, and an instruction of it has the latency.
annotated()
{
	COLUMNS=100 memlat-ctl annotate 'writer_*' -n 1 | tee "$SCRATCH/annotate"
	grep -q '^writer_[ab] in false_sharing: ' "$SCRATCH/annotate" && grep -q '% .* +0x[0-9a-f]*    [a-z]' "$SCRATCH/annotate"
}

tap_header
tap_plan 14
ok "the module loads" insmod "$MODULE"
false_sharing --iterations $EVER >/dev/null 2>&1 &
helpers+=($!)
ok "a session starts" memlat-ctl start --ldlat 30
FIGURE=0
ok "the session takes samples" more_samples
ok "export writes the metrics" metrics first
sysfs_figure samples
ok "the session takes more samples" more_samples
ok "export writes the metrics again" metrics second
ok "the number of loads rises between both exports" rises 'memlat_samples_total{type="load"}'
ok "the waited cycles rise between both exports" rises memlat_waited_cycles_total
ok "no counter falls between both exports" none_falls
ok "both exports are of one session" same_session
ok "with the unit's capabilities, the contended line is named" names_the_line
ok "report --html writes a report that names the line" report_is_made
ok "annotate shows an instruction of the costliest function" annotated
ok "metrics of another session have a later start and fewer loads" another_session
memlat-ctl stop >/dev/null
rmmod memlat
tap_finish
