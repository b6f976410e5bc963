// SPDX-License-Identifier: GPL-2.0
/* Draw everything, and search in it. */

function has(element, words) {
	return element.textContent.toLowerCase().includes(words);
}

/* Hide rows that do not have the words, but none of an article whose heading has them. Returns how many have them. */
function searchRows(root, words) {
	let found = 0;

	for (const row of root.querySelectorAll(".rows tbody tr")) {
		row.hidden = !has(row, words);
		found += !row.hidden;
	}
	return found;
}

function searchArticles(words) {
	let found = 0;

	for (const article of document.querySelectorAll("article")) {
		article.hidden = !has(article, words);
		found += !article.hidden;
		for (const details of article.querySelectorAll("details")) {
			const whole = !words || !has(details, words);

			details.open = !whole;
			searchRows(details, whole ? "" : words);
		}
	}
	return found;
}

/* Mark the boxes whose own name has the words. Returns their share of all cycles, each cycle once. */
function searchFlame(words) {
	let cycles = 0;

	function level(boxes, list, inside) {
		boxes.forEach((box, at) => {
			const [name, , own, callees] = list[at];
			const found = words && visible(name).toLowerCase().includes(words);

			box.classList.toggle("found", Boolean(found));
			if (found && !inside)
				cycles += own;
			level([...box.children].slice(1), callees, inside || found);
		});
	}

	const flame = document.querySelector(".flame");

	if (!flame)
		return null;
	level([...flame.children], chains.boxes, false);
	flame.classList.toggle("searched", Boolean(words));
	return chains.cycles ? cycles / chains.cycles : 0;
}

function search(words) {
	const articles = searchArticles(words), share = searchFlame(words);
	const rows = searchRows(document.getElementById("quality"), words);

	document.querySelector("#quality details").open = Boolean(words && rows);
	document.querySelector(".search .note").textContent = words ?
		`${articles} lines and functions, ${rows} counters` +
		(share === null ? "" : `, call chains with ${percent(share)} of the cycles`) : "";
}

document.addEventListener("DOMContentLoaded", () => {
	const field = document.querySelector("input[type=search]");

	drawHeader();
	drawAnswer();
	drawLines();
	drawTime();
	drawLatency();
	drawFlame();
	drawCode();
	drawNodes();
	drawQuality();
	field.addEventListener("input", () => search(field.value.trim().toLowerCase()));
});
