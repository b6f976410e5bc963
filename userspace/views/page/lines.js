// SPDX-License-Identifier: GPL-2.0
/* Each shared line byte by byte: the data there, and the threads that load and store it. */

const LINE_BYTES = 64;
const PARTIES = 8;	/* most parties of a line that are drawn */

const usedAs = { load: "loaded", store: "stored", both: "loaded and stored" };

/* Neighbours of equal use share a box. */
function bytes(party) {
	const boxes = [];
	let first = 0, end;

	for (; first < LINE_BYTES; first = end) {
		const use = byte => (party.loaded.has(byte) ? party.stored.has(byte) ? "both" : "load" :
			party.stored.has(byte) ? "store" : "");

		for (end = first + 1; end < LINE_BYTES && use(end) === use(first); end++)
			;
		if (use(first))
			boxes.push(make("i", {
				class: use(first), style: { "grid-column": `${first + 1}/${end + 1}` },
				title: `bytes ${first} to ${end - 1}: ${usedAs[use(first)]}`,
			}));
	}
	return make("div", { class: "bytes" }, ...boxes);
}

function layout(parties) {
	const scale = [];

	for (let at = 0; at < LINE_BYTES; at += 8)
		scale.push(make("span", { style: { "grid-column": `${at + 1}/${at + 9}` } },
			`+${at.toString(16).padStart(2, "0")}`));
	return wide(make("table", { class: "layout" },
		head(make("th", null, "thread"), make("th", null, make("div", { class: "bytes" }, ...scale)),
			sortable("loads"), sortable("HITM"), sortable("stores")),
		make("tbody", null, ...parties.slice(0, PARTIES).map(party => make("tr", null,
			make("th", null, `${short(party.name, 40)} ${party.thread}`.trim()),
			make("td", null, bytes(party)),
			...[party.loads, party.hitm, party.stores].map(number => cell(number, count(number))))))));
}

/* Each known field of the line, once. */
function fields(line) {
	const known = line.fields.filter(field => field.data)
		.filter((field, at, all) => !at || all[at - 1].data !== field.data)
		.map((field, at) => [at ? make("span", null, " · ") : null, make("b", null, field.offset), " ",
			make("code", null, field.data)]);

	return known.length ? make("p", { class: "fields" }, ...known) : null;
}

function drawLine(line) {
	const more = line.parties.length - PARTIES;

	return make("article", null,
		make("h3", null, make("span", { class: "rank" }, line.rank), ` ${line.verdict}`,
			line.data ? [" of ", make("code", null, line.data)] : null, `: ${shareText(line.share, line.low, line.high)}`),
		make("p", null, line.story), fields(line),
		line.parties.length ? layout(line.parties) : null,
		more > 0 ? make("p", { class: "note" }, `${more} more threads use it.`) : null,
		line.rows.length ? make("details", null, make("summary", null, "who uses which bytes, and from where"),
			table(accessColumns, line.rows)) : null);
}

function drawLines() {
	const lines = shared.lines;

	if (!shared.all)
		part("lines", make("p", null, "No line was sampled that several threads use."));
	else if (!lines.length)
		part("lines", make("p", null,
			`Several threads use ${count(shared.all)} of the lines that were sampled, and none of these stands out.`));
	else
		part("lines", make("p", { class: "legend" }, make("i", { class: "load" }), " loaded ",
			make("i", { class: "store" }), " stored ", make("i", { class: "both" }),
			" both: the bytes that sampled instructions accessed, of 64"),
		...lines.map(drawLine),
		lines.length < shared.found ? make("p", { class: "note" },
			`The ${lines.length} that cost most of ${shared.found}; memlat-ctl c2c has all.`) : null,
		shared.remark ? make("p", { class: "note" }, shared.remark) : null);
}
