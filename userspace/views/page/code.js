// SPDX-License-Identifier: GPL-2.0
/* Source and machine code around the costliest instructions. */

const SOURCE_SHOWN = 160;	/* most characters of a source line */

function sourceRow(row) {
	const text = row.text === null ? `${row.file}:${row.line}` :
		/* Tabs are narrow, so that the text has room. */
		short(row.text.replace(/\t/g, "    "), SOURCE_SHOWN);

	return make("tr", { class: "src" }, ...Array.from({ length: 4 }, () => make("td")), make("td", null, row.line),
		make("td", { class: "t" }, make("code", null, text)));
}

function codeRow(row, highest) {
	return make("tr", { class: row.cycles ? "asm hot" : "asm" },
		make("td", null, row.cycles ? [
			make("span", { class: "bar", style: { width: width(row.cycles / highest) } }),
			shareText(row.share, row.low, row.high)] : null),
		make("td", null, row.latency === null ? null : count(row.latency)),
		make("td", null, row.loads ? percent(row.hitm / row.loads, 0) : null),
		make("td", null, row.stores ? count(row.stores) : null),
		make("td", null, "+0x" + parseInt(row.offset, 16).toString(16)),
		make("td", { class: "t" }, make("code", null, row.text || "(the code cannot be read here)")));
}

/* A row without a file stands for rows that are left out. */
function functionRow(row, highest) {
	if (row.instruction)
		return codeRow(row, highest);
	return row.file ? sourceRow(row) : make("tr", { class: "gap" }, make("td", { colspan: 6 }, "⋮"));
}

function choice(at) {
	const choices = [["both", "source and assembly"], ["only-src", "source"], ["only-asm", "assembly"]];

	return choices.flatMap(([kind, title], which) => {
		const id = `code${at}${kind}`, button = make("input", { type: "radio", class: kind, name: `code${at}`, id });

		button.checked = !which;
		return [button, make("label", { for: id }, title)];
	});
}

function drawFunction(of, at) {
	const costliest = of.rows.reduce((best, row) => (row.cycles > best.cycles ? row : best), { cycles: 0 });
	const name = placeNodes({ name: of.name, file: costliest.file, line: costliest.line, module: of.module });
	const share = `${shareText(of.share, of.low, of.high)} of sampled latency`;

	if (!of.rows.some(row => row.text || (row.file && !row.instruction)))
		return make("p", { class: "note" }, name, `: ${share}; its code is not available on this machine.`);
	return make("article", null, make("h3", null, name, `: ${share}`), ...choice(at),
		wide(make("table", { class: "code" },
			head(...["latency", "cycles", "HITM", "stores", "at", ""].map(one => make("th", null, one))),
			make("tbody", null, ...of.rows.map(row => functionRow(row, costliest.cycles))))));
}

function drawCode() {
	part("code", ...functions.map(drawFunction), functions.length ? null :
		make("p", null, "No function is known whose loads waited for more than 1% of sampled latency."),
	changed ? make("p", { class: "note" }, "Not shown, since it is newer than the recording: ",
		make("code", null, changed), ". With --debug-path a file is shown as it is.") : null);
}
