// SPDX-License-Identifier: GPL-2.0
/* Loads by latency and source, the same over time, the flame graph, and the traffic between nodes. */

const FAINTEST = 0.12;	/* opacity of a cell with any value */
const TALL_PIXELS = 48;	/* height of the highest bar over time */
const ROW_PIXELS = 19;	/* of the flame graph */

const colour = source => `s${sources.indexOf(source)}`;
const sum = numbers => numbers.reduce((all, one) => all + one, 0);
const most = numbers => numbers.reduce((all, one) => Math.max(all, one), 0);

function legend(weights) {
	return make("p", { class: "legend" }, ...sources.filter(source => weights[source]).flatMap(source =>
		[make("i", { class: colour(source) }), ` ${nameOf[source]} `]));
}

/* "65 to 128": the range of latencies of a row. */
function range(at) {
	const row = latency.rows[at];

	return row.to ? `${count(at ? row.above + 1 : 0)} to ${count(row.to)}` : `> ${count(row.above)}`;
}

function drawLatency() {
	const rows = latency.rows, highest = most(rows.map(row => row.loads));
	const first = rows.findIndex(row => row.loads), last = rows.findLastIndex(row => row.loads);

	if (!latency.all) {
		part("latency", make("p", null, "No load was sampled."));
		return;
	}
	part("latency", make("p", null, "Loads that the samples stand for, by how many cycles they took.",
		/* Only Intel's CPUs have a threshold. */
		session.leastLatency ? ` Loads faster than ${session.leastLatency} cycles are not sampled.` : null),
	legend(latency.sources),
	wide(make("table", { class: "histogram" },
		head(...["cycles", "", "loads", "share"].map(one => make("th", null, one))),
		make("tbody", null, ...rows.slice(first, last + 1).map((row, at) => make("tr", null,
			make("th", null, range(first + at)),
			make("td", null, make("div", { class: "stack" }, ...sources.filter(source => row.weights[source]).map(source =>
				make("i", {
					class: colour(source), style: { width: width(row.weights[source] / highest) },
					title: `${nameOf[source]}: ${count(row.weights[source])} loads`,
				})))),
			make("td", null, count(row.loads)), make("td", null, percent(row.loads / latency.all))))))));
}

/*
 * Over time: each interval of record --interval is a column, as wide as it was long. A stronger
 * colour means more. It depends on the rate, because intervals differ in length, and on its square
 * root, because low rates would be invisible otherwise.
 */
const seconds = one => one.to - one.from;
const span = one => `${one.from.toFixed(1)} to ${one.to.toFixed(1)} s`;
const rate = (one, what) => Math.sqrt(what / seconds(one));

function timeRow(name, kind, cells) {
	return make("tr", null, make("th", null, ...name), make("td", null, make("div", { class: kind }, ...cells)));
}

/* cells: of each interval, how much it is, its source, and its words; nothing: a gap. */
function timeCells(name, cells, strongest, length) {
	return timeRow(name, "stack", cells.map((one, at) => {
		const style = { width: width(seconds(times[at]) / length) };

		if (!one.much)
			return make("i", { style });
		style.opacity = (FAINTEST + (1 - FAINTEST) * rate(times[at], one.much) / strongest).toFixed(2);
		return make("i", { class: colour(one.source), style, title: `${span(times[at])}: ${one.words}` });
	}));
}

function axis() {
	return timeRow([], "axis", [`${times[0].from.toFixed(1)} s`, `${times[times.length - 1].to.toFixed(1)} s`]
		.map(one => make("span", null, one)));
}

function timeBars(length) {
	const tallest = most(times.map(one => one.height)) || 1;

	return timeRow(["waiting"], "stack tall", times.map(one => make("i", {
		class: "load", title: span(one) + (one.waits ? `: ${one.waits.name} of busy cycles` : ""),
		style: {
			width: width(seconds(one) / length), height: `${Math.round(one.height / tallest * TALL_PIXELS)}px`,
		},
	})));
}

function timeSources(length) {
	const strongest = most(times.flatMap(one => sources.map(source => rate(one, one.bySource[source]))));

	return sources.filter(source => times.some(one => one.bySource[source])).map(source =>
		timeCells([make("i", { class: colour(source) }), ` ${nameOf[source]}`], times.map(one => ({
			much: one.bySource[source], source,
			words: `${percent(one.bySource[source] / sum(Object.values(one.bySource)))} of its latency, ` +
				`${count(one.loads[source])} samples`,
		})), strongest, length));
}

/* Rows of latencies, the slowest on top. Each cell has the colour of where most of its loads came from. */
function timeLatencies(length) {
	const rows = latency.rows.map(() => times.map(() => ({ much: 0, best: 0 })));

	times.forEach((one, at) => one.weights.forEach(([row, source, weight]) => {
		const of = rows[row][at];

		of.much += weight;
		if (weight > of.best)
			Object.assign(of, { best: weight, source: sources[source] });
	}));
	const any = row => row.some(one => one.much);
	const strongest = most(rows.flatMap(row => row.map((one, at) => rate(times[at], one.much))));
	const first = rows.findIndex(any), last = rows.findLastIndex(any), found = [];

	for (let row = last; row >= first && first >= 0; row--)
		found.push(timeCells([range(row)], rows[row].map(one => ({
			...one, words: `${count(one.much)} loads, ${percent(one.best / one.much, 0)} of them ${nameOf[one.source]}`,
		})), strongest, length));
	return found;
}

function timeTable(...rows) {
	return wide(make("table", { class: "histogram time" }, make("tbody", null, ...rows, axis())));
}

function drawTime() {
	const length = sum(times.map(seconds));

	if (!times.length) {
		part("time", make("p", null, "Times were not recorded: 'memlat-ctl record --interval 1 -- COMMAND' records them."));
		return;
	}
	part("time", make("p", null, `${times.length} interval${times.length === 1 ? "" : "s"}. ${highest}`),
		make("p", null, "From left to right, an interval a column; the stronger the colour of a cell, the more. ",
			"Waiting, and cycles that loads took by where they were served from:"),
		timeTable(timeBars(length), ...timeSources(length)),
		make("p", null, "Loads by how many cycles they took, in the colour of where most of them were served from:"),
		timeTable(...timeLatencies(length)),
		make("details", null, make("summary", null, "All intervals"),
			table(intervalColumns, times.map(one => ({ ...one, span: span(one) })))));
}

/* The colour of a name is the same everywhere. */
function hue(name) {
	let hash = 5381;

	for (const one of name)
		hash = (hash * 33 + one.codePointAt(0)) % 0x100000000;
	return 8 + hash % 44;
}

/*
 * Callers are above, callees side by side below, each box as wide as its part of its caller. A click
 * makes it the target of the page's address, by which .flame in page.css shows it alone.
 */
function drawFlame() {
	let boxes = 0, deepest = 0;

	function level(list, around, depth) {
		return list.map(([name, before, cycles, callees]) => {
			const id = `f${boxes++}`, title = short(name, 100);

			deepest = Math.max(deepest, depth + 1);
			return make("div", {
				class: "box", id, style: { left: width(before / around), width: width(cycles / around) },
			}, make("a", {
				href: `#${id}`, title: `${title}: ${percent(cycles / chains.cycles)}`,
				style: { background: `hsl(${hue(name)} 85% 66%)` },
			}, title), ...level(callees, cycles, depth + 1));
		});
	}

	if (!chains) {
		part("flame", make("p", null, "No call chains were recorded: 'memlat-ctl record -g -- COMMAND' records them."));
		return;
	}
	const all = level(chains.boxes, chains.cycles, 0);

	part("flame", make("p", null, "The wider a box, the more cycles loads waited in it and in what it called; ",
		"callers are above. Hover over a box for its name and share, click it to see it alone; ",
		make("a", { href: "#flame" }, "here all of it"), "."),
	make("div", { class: "flame", style: { height: `${deepest * ROW_PIXELS}px` } }, ...all),
	chains.most ? make("p", { class: "note" },
		`Only ${chains.most} boxes are drawn; memlat-ctl export --format folded has all chains.`) : null);
}

function drawNodes() {
	const order = key => [...new Set(nodes.map(one => one[key]))].sort((a, b) => (a ?? Infinity) - (b ?? Infinity));
	const name = node => make("th", null, node === null ? "not known" : `node ${node}`);

	function square(from, to) {
		const one = nodes.find(other => other.from === from && other.to === to);

		if (!one)
			return make("td", null, "-");
		return make("td", { class: from === null || to === null ? "dim" : from === to ? "near" : "far" },
			/* Its depth is limited, so that the figures on it stay readable. */
			make("div", { class: "heat", style: { opacity: (one.share / 2).toFixed(2) } }),
			make("span", null, percent(one.share)),
			make("small", null, `${count(one.loads)} loads, ${count(one.stores)} stores`));
	}

	if (!nodes.some(one => one.from !== null || one.to !== null)) {
		part("nodes", make("p", null, "No access is known by node."));
		return;
	}
	part("nodes", make("p", null, "Sampled latency by the node of the CPU (rows) and the node of the memory (columns), ",
		"with samples. Not known: several nodes used one row, or it was evicted from its table."),
		wide(make("table", { class: "matrix" }, head(make("th", null, "from \\ to"), ...order("to").map(name)),
			make("tbody", null, ...order("from").map(from => make("tr", null, name(from),
				...order("to").map(to => square(from, to))))))));
}
