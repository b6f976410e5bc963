// SPDX-License-Identifier: GPL-2.0
/* The heading, the cards with the main figures, the worst problems in words, and the quality. */

function drawHeader() {
	const title = `memlat: ${short(session.title, 120)}`, when = new Date(1000 * session.recordedAt);

	document.title = title;
	add(document.querySelector("h1"), title);
	add(document.querySelector(".facts"), ...[
		session.duration, session.cpu,
		`${count(session.samples)} samples, ${count(session.lost)} lost`,
		session.recordedAt ? when.toISOString().slice(0, 16).replace("T", " ") + " UTC" : null,
	].filter(one => one !== null).map(one => make("li", null, one)));
	add(document.querySelector("nav"), ...[...document.querySelectorAll("main>section")].map(one =>
		make("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
}

function card(kind, title, share) {
	return make("div", { class: `card ${kind}` }, make("b", null, percent(share)), make("span", null, title),
		make("i", { style: { width: width(share) } }));
}

function cards() {
	const found = [], waits = answer.waits;

	if (waits.counted)
		found.push(card("", "of busy cycles wait for memory", waits.high));
	else if (waits.known && waits.high < 1)
		found.push(card("", "of busy cycles wait for memory at most", waits.high));
	for (const [verdict, cost] of answer.fights)
		found.push(card("bad", `of sampled latency: ${verdict}`, cost / session.cost));
	for (const one of answer.sources.slice(0, 3))
		found.push(card("", `of sampled latency: ${one.name}`, one.share));
	return make("div", { class: "cards" }, ...found);
}

/* What it is, its share, who does it, and what to do. */
function worst(thing) {
	const data = thing.data && make("code", null, thing.data);
	const item = make("li", null, thing.what);

	if (thing.fight)
		add(item, data || `the line at ${thing.address}`);
	else if (data)
		add(item, thing.mostly ? ", of " : ", among others of ", data);
	if (thing.share)
		add(item, ": ", make("b", null, thing.share));
	else
		add(item, ": only stores were sampled, which have no latency");
	thing.who.filter(who => who.place).forEach((who, at) =>
		add(item, at ? " and " : ". ", placeNodes(who.place), who.thread ? ` in thread ${who.thread}` : null));
	add(item, ". ");
	if (thing.fight)
		add(item, thing.advice, thing.before ? ` Not sure: ${thing.before} was mapped there before.` :
			` Sure: ${percent(thing.sure, 0)}.`);
	return item;
}

function drawAnswer() {
	part("answer", cards(), make("p", null, answer.waiting), answer.worst.length ?
		make("ol", null, ...answer.worst.map(worst)) : make("p", null, answer.nothing));
}

function drawQuality() {
	part("quality",
		make("dl", null, ...session.facts.flatMap(([name, text]) => [make("dt", null, name), make("dd", null, text)])),
		make("details", null, make("summary", null, "all counters of the session"),
			table(counterColumns, session.counters)));
}
