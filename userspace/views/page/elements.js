// SPDX-License-Identifier: GPL-2.0
/* Elements, figures as text, and tables that a click on a heading sorts. */

/*
 * Names are any text. What is not seen, or turns the text around it, is shown as the octal escapes
 * of its bytes, which is also how memlat-ctl writes bytes that are no UTF-8.
 */
function visible(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}]/gu, one =>
		[...new TextEncoder().encode(one)].map(byte => "\\" + byte.toString(8).padStart(3, "0")).join(""));
}

function short(text, most) {
	const characters = [...visible(text)];

	return characters.length > most ? characters.slice(0, most).join("") + "…" : characters.join("");
}

/*
 * make("p", {class: "note"}, "text", element): text becomes a text node, so no name can become an
 * element. null is left out.
 */
function make(tag, attributes, ...inside) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		if (name === "style")
			for (const [property, one] of Object.entries(value))
				element.style.setProperty(property, one);
		else
			element.setAttribute(name, value);
	add(element, ...inside);
	return element;
}

function add(element, ...inside) {
	for (const one of inside.flat())
		if (one !== null && one !== undefined)
			element.append(typeof one === "object" ? one : visible(String(one)));
	return element;
}

function part(id, ...inside) {
	return add(document.getElementById(id), ...inside);
}

/* "48,510" */
function count(number) {
	return String(Math.floor(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

function percent(share, decimals = 1) {
	return `${(100 * share).toFixed(decimals)}%`;
}

/* For CSS, never wider than all of it. */
function width(share) {
	return `${(100 * Math.min(share, 1)).toFixed(4)}%`;
}

/* "61.3% ±9": with the larger side of its interval. */
function shareText(share, low, high) {
	const error = 100 * Math.max(high - share, share - low);

	return error > 0 ? `${percent(share)} ±${error.toFixed(error < 1 ? 1 : 0)}` : percent(share);
}

function lastPart(path) {
	return path.slice(path.lastIndexOf("/", path.length - 2) + 1);
}

/* "count_hit() (field_sharing.c:31)" */
function placeNodes(of) {
	const name = of.name ? of.name + (/\(|, or before that /.test(of.name) ? "" : "()") : of.address;
	const where = of.file && of.line ? `${lastPart(of.file)}:${of.line}` : of.module;

	return [make("code", null, name || "code without a name"), where ? ` (${where})` : null];
}

function wide(table) {
	return make("div", { class: "wide" }, table);
}

function head(...cells) {
	return make("thead", null, make("tr", null, ...cells));
}

/* Sort rows by the value that their cells in this column have: the largest number first, or words by letter. */
function sortBy(table, heading, column) {
	const body = table.tBodies[0], value = row => row.cells[column].value;
	const words = [...body.rows].some(row => typeof value(row) === "string");
	const before = heading.getAttribute("aria-sort");
	const rises = before ? before === "descending" : words;

	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	heading.setAttribute("aria-sort", rises ? "ascending" : "descending");
	/* What has no value comes last both ways. */
	body.append(...[...body.rows].sort((a, b) => {
		const one = value(a), other = value(b);

		if (one === null || other === null)
			return (one === null) - (other === null);
		const order = words ? String(one).localeCompare(String(other), "en", { numeric: true }) :
			(one > other) - (one < other);

		return rises ? order : -order;
	}));
}

/* A heading that sorts its table: a button, so that keys reach it too. */
function sortable(title, left) {
	const button = make("button", { type: "button", title: "sort by this column" }, title);
	const heading = make("th", left ? { class: "t" } : null, button);

	button.addEventListener("click", () => sortBy(heading.closest("table"), heading, heading.cellIndex));
	return heading;
}

/* A cell, and the value by which its column is sorted. */
function cell(value, text, left) {
	const of = make("td", left ? { class: "t" } : null, text);

	of.value = value;
	return of;
}

/* How cells of a column show their value, and what is sorted by instead of it. */
const forms = {
	share: value => [make("span", { class: "bar", style: { width: width(value) } }), percent(value)],
	count, words: value => value, hex: value => value, named: value => value.name,
};
const sorts = {
	/* Addresses have more digits than a number of JavaScript. */
	hex: value => BigInt(value.replace("+", "")), named: value => value.number,
};

/* A table of rows by a list of columns of keys.js. A column without any value is left out. */
function table(columns, rows) {
	const made = columns.map(([title, form, get]) => ({
		title, form: forms[form], left: form === "words",
		sorts: sorts[form] || (value => value),
		values: rows.map(row => typeof get === "string" ? row[get] : get(row)),
	})).filter(column => column.values.some(value => value !== null));

	return wide(make("table", { class: "rows" },
		head(...made.map(column => sortable(column.title, column.left))),
		make("tbody", null, ...rows.map((row, at) => make("tr", null, ...made.map(column => {
			const value = column.values[at];

			return value === null ? cell(null, "-", column.left) :
				cell(column.sorts(value), column.form(value), column.left);
		}))))));
}
