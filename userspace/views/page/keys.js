// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that the page reads: JSON as memlat-ctl report, c2c, buckets and annotate print it, and
 * what views/html.c adds. No other file of the page has a key of these documents, so that a key
 * that is renamed changes this file alone.
 */
"use strict";

/* A document; null if the profile has no such figures. */
function told(name) {
	const script = document.getElementById("told-" + name);

	return script && JSON.parse(script.textContent);
}

const page = told("page"), report = told("report");
const c2c = told("c2c"), buckets = told("buckets"), code = told("code");

/* A place in the code; null: none is known. */
function place(name, file, line, module, address) {
	return name || address ? { name, file, line, module, address } : null;
}

const session = {
	title: page.title, cpu: page.cpu, recordedAt: page.recorded_at, facts: page.facts,
	counters: page.counters,
	duration: page.duration, samples: report.quality.samples, lost: report.quality.lost,
	leastLatency: report.quality.ldlat, cost: report.cost_cycles,
};

/* Sources in the order of the hardware's levels, and what people call them. */
const sources = Object.keys(page.sources);
const nameOf = page.sources;

const answer = {
	waiting: page.waiting, nothing: page.nothing, fights: Object.entries(page.fights),
	waits: { known: report.waiting_high !== null, counted: report.waiting_counted, high: report.waiting_high },
	sources: report.sources.map(one => ({ name: nameOf[one.source], share: one.share })),
	worst: report.worst.map((one, at) => ({
		fight: one.kind === "line", address: one.addr, sure: one.sure,
		data: page.worst[at].data, what: page.worst[at].what, mostly: page.worst[at].mostly,
		share: page.worst[at].share, advice: page.worst[at].advice, before: page.worst[at].before,
		who: [
			{ place: place(one.function, one.file, one.line, one.module, one.ip), thread: one.tid },
			{ place: place(one.other_function, one.other_file, one.other_line), thread: one.other_tid },
		],
	})),
};

const shared = {
	all: page.lines_shared, found: page.lines_found, remark: page.cpus_remark,
	lines: (c2c ? c2c.lines : []).map((one, at) => ({
		rank: one.rank, verdict: one.verdict_text, data: page.lines[at].data, story: one.story,
		share: one.cost, low: one.cost_low, high: one.cost_high, rows: one.rows,
		fields: one.rows.map(row => ({ offset: row.line_offset, data: row.data })),
		parties: one.parties.map((party, which) => ({
			name: page.lines[at].threads[which], thread: party.tid,
			loaded: new Set(party.bytes_loaded), stored: new Set(party.bytes_stored),
			loads: party.loads, hitm: party.hitm, stores: party.stores,
		})),
	})),
};

/* Columns of tables: heading, form, and the key or what makes the value of a row. */
const accessColumns = [
	["HITM RmtHitm", "share", "hitm_remote_share"], ["HITM LclHitm", "share", "hitm_local_share"],
	["Store Refs L1 Hit", "share", "store_l1_hit_share"], ["Store Refs L1 Miss", "share", "store_l1_miss_share"],
	["Store Refs N/A", "share", "store_na_share"], ["Cost", "share", "line_share"],
	["Data address Offset", "hex", "line_offset"], ["Data address Node", "count", "home"],
	["Data address PA cnt", "count", "pages"], ["Data", "words", "data"],
	["Code address", "hex", "ip"],
	["cycles rmt hitm", "count", "hitm_remote_latency_avg"], ["cycles lcl hitm", "count", "hitm_local_latency_avg"],
	["cycles load", "count", "other_latency_avg"], ["Total records", "count", "samples"],
	["cpu cnt", "count", "cpu_count"], ["Symbol", "words", "symbol"], ["Shared Object", "words", "module"],
	["Source:Line", "words", row => row.file && row.line ? `${lastPart(row.file)}:${row.line}` : null],
	["Node", "words", "node_use"],
];
const counterColumns = [
	["counter", "words", "counter"], ["value", "count", "value"], ["unit", "words", "unit"],
	["meaning", "words", "meaning"],
];
const intervalColumns = [
	["seconds", "named", row => ({ name: row.span, number: row.from })], ["samples", "count", row => row.samples],
	["cost, cycles", "count", row => row.cost], ["of busy cycles", "named", row => row.waits],
];

const latency = {
	all: buckets.total.weight, sources: buckets.total.weights,
	rows: buckets.buckets.map(one => ({ above: one.above, to: one.to, loads: one.weight, weights: one.weights })),
};

const times = (told("times") || []).map((one, at) => {
	const of = report.intervals[at];

	return {
		from: of.from_s, to: of.to_s, samples: of.samples, cost: of.cost_cycles,
		waits: of.waiting_high === null ? null : {
			number: of.waiting_high, name: of.waiting_counted ? percent(of.waiting_high) :
				`0 to ${percent(of.waiting_high, of.waiting_high < 1 ? 1 : 0)}`,
		},
		height: one.height, bySource: one.cost_cycles, loads: one.samples, weights: one.weights,
	};
});
const highest = page.highest;

const chains = told("flame");

const functions = (code ? code.functions : []).map(one => ({
	name: one.function, module: one.module, share: one.cost, low: one.cost_low, high: one.cost_high,
	rows: one.rows.map(row => ({
		instruction: row.kind === "instruction", text: row.text, file: row.file, line: row.line,
		offset: row.function_offset, share: row.cost, low: row.cost_low, high: row.cost_high,
		cycles: row.cost_cycles, latency: row.latency_avg, loads: row.loads, hitm: row.hitm, stores: row.stores,
	})),
}));
const changed = code && code.changed;

const nodes = report.nodes.map(one => ({
	from: one.from, to: one.to, loads: one.loads, stores: one.stores, share: one.cost,
}));
