#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: page.py outer REPORT...		>PAGE (without .html)
       page.py judge MEMLAT_CTL DEBUG_PATH PROFILE... <DOM
       page.py rename PROFILE		>OTHER_PROFILE

outer: a page that shows reports in frames, and becomes a JSON list of what the browser made of each: all elements with
their texts, titles and rectangles, of the boxes of the flame graph once more after a click on box 1, and what
clicks on headings and words to search for do. judge: hold
that against what other commands tell of the profiles of these reports, as JSON. A line is printed for each difference,
and how many there are of each profile.
rename: the same profile with names that look like HTML.
"""
import ctypes
import functools
import html
import itertools
import json
import re
import struct
import subprocess
import sys
import zlib

OUTER = """<!DOCTYPE html><meta charset="utf-8"><title>outer</title><body>%s<script>
function taken(node) {
	const at = node.getBoundingClientRect(), style = getComputedStyle(node);
	return {tag: node.localName, names: [...node.classList], id: node.id, title: node.getAttribute("title"),
		at: [at.x, at.y, at.width, at.height], opacity: +style.opacity, color: style.backgroundColor,
		inside: [...node.childNodes].map(one => one.nodeType == 3 ? one.data : taken(one))};
}
function sorted(page) {
	return [...page.querySelectorAll("th button")].map(button => {
		const table = button.closest("table"), column = button.parentNode.cellIndex;
		const texts = () => [...table.tBodies[0].rows].map(row => row.cells[column].textContent);
		const one = {heading: button.textContent, before: texts(), words: button.parentNode.className === "t"};
		button.click();
		one.once = texts();
		button.click();
		one.twice = texts();
		return one;
	});
}
function searched(page, words) {
	const field = page.querySelector("input[type=search]");
	field.value = words;
	field.dispatchEvent(new Event("input"));
	return {words, note: page.querySelector(".search .note").textContent,
		articles: [...page.querySelectorAll("article")].map(one => one.offsetHeight > 0),
		rows: [...page.querySelectorAll("#quality tbody tr")].map(one => one.offsetHeight > 0),
		boxes: [...page.querySelectorAll(".box.found")].map(one => one.id)};
}
onload = () => {
	const all = [...document.querySelectorAll("iframe")].map(frame => {
		const page = frame.contentDocument, found = {};
		page.querySelectorAll("details").forEach(one => { one.open = true; });
		found.title = page.title;
		found.body = taken(page.body);
		page.location.hash = "#f1";
		const flame = page.querySelector(".flame");
		found.clicked = flame && taken(flame);
		page.location.hash = "#flame";
		found.sorted = sorted(page);
		found.searched = [...page.querySelectorAll(".box a, article h3 code")].slice(2, 9).map(one => searched(page, one.textContent));
		searched(page, "");
		return found;
	});
	document.body.textContent = JSON.stringify(all);
};
</script>"""
SOURCES = {"unknown": "unknown", "l1": "L1", "lfb": "LFB", "l2": "L2", "l3": "L3", "l3_snoop": "L3 snoop",
           "l3_hitm": "L3 HITM", "rcache": "rmt cache", "rhitm": "rmt HITM", "dram": "DRAM", "rdram": "rmt DRAM"}
FIGHTS = {"false_sharing": "false sharing", "true_sharing": "true sharing"}
# Of functions, data, paths, source files and a process: of one length each, so that the profile keeps its layout.
NAMES = {b"_phase": b"<b>\"'&", b"token": b"<i>&'", b"soup": b"<&\"'", b"/golden/": b"/<p>\"'&/", b"first.c": b"<a>&'\"c",
         b"/usr/src/judge/": b"/</script>'\"&b/", b"second": b"<u>'\"&"}
COMMAND = "./<script>alert(1)</script> \"&amp;\" 'x' </title><img src=x onerror=alert(1)> & \u202erest\x1b"


class Element:
    def __init__(self, told):
        self.tag, self.names, self.id, self.title = told["tag"], told["names"], told["id"], told["title"]
        self.x, self.y, self.width, self.height = told["at"]
        self.opacity, self.color = told["opacity"], told["color"]
        self.inside = [one if isinstance(one, str) else Element(one) for one in told["inside"]]
        self.kids = [one for one in self.inside if isinstance(one, Element)]
        self.text = "".join(one if isinstance(one, str) else one.text for one in self.inside)

    def all(self, what=""):
        """Elements inside, by tag, .class or #id."""
        for kid in self.kids:
            if not what or what in (kid.tag, f"#{kid.id}") or what[0] == "." and what[1:] in kid.names:
                yield kid
            yield from kid.all(what)

    def rows(self):
        return [row.kids for body in self.all("tbody") for row in body.kids]


class Judge:
    def __init__(self, ctl, profile, paths):
        self.ctl, self.profile, self.paths, self.wrong = ctl, profile, paths, 0

    @functools.lru_cache(maxsize=None)
    def told(self, *words):
        paths = [] if words[0] in ("status", "buckets") else ["--debug-path", self.paths]
        return subprocess.run([self.ctl, *words, "-i", self.profile, *paths], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE).stdout

    def view(self, *words):
        return json.loads(self.told(*words, "--json"))

    def same(self, what, shown, expected):
        if shown != expected:
            self.wrong += 1
            print(f"# wrong: {what}: {shown!r}, expected {expected!r}"[:400])

    def near(self, what, shown, expected, most=0.6):
        if not abs(shown - expected) <= most:
            self.wrong += 1
            print(f"# wrong: {what}: {shown:.2f}, expected {expected:.2f}"[:400])

    def share(self, what, text, expected, decimals=1):
        """A share in percent, rounded, with or without an error behind it."""
        found = re.match(r"(\d+(?:\.\d+)?)%", text)
        self.near(f"{what}: {text}", float(found[1]) if found else -1, 100 * expected, 0.5001 * 10 ** -decimals)


def count(number):
    return f"{number:,}"


def cut(text, most):
    return text if len(text) <= most else text[:most] + "…"


def spelled(label):
    """What views for people write as "name.{a,b}", and JSON as "name.a, name.b"."""
    found = re.fullmatch(r"(.*)\{(.*)\}(.*)", label)
    return ", ".join(found[1] + one + found[3] for one in found[2].split(",")) if found else label


def only(found):
    found = list(found)
    return found[0] if len(found) == 1 else sys.exit(f"{len(found)} elements instead of one")


def header(judge, page):
    status, report = judge.view("status"), judge.view("report")
    # Of what is not seen, or turns the text around it, the bytes are shown.
    command = (report["command"] or "a profile of a machine").replace("\u202e", r"\342\200\256").replace("\x1b", r"\033")
    title = "memlat: " + cut(command, 120)
    judge.same("title", page["title"], title)
    body = Element(page["body"])
    judge.same("heading", only(body.all("h1")).text, title)
    facts = [one.text for one in only(body.all(".facts")).kids]
    judge.same("samples", facts[2], f"{count(status['counters']['samples'])} samples, {report['quality']['lost']} lost")
    strange = {one.tag for one in body.all()} & {"script", "img", "u"}
    judge.same("elements that names have made", strange, set())
    counters = {row[0].text: row[1].text for row in only(body.all("#quality")).rows()}
    for key, value in status["counters"].items():
        if key in counters:
            judge.same(f"counter {key}", counters[key], count(value))
    judge.same("all counters are there", len(counters) > 40, True)


def cards(judge, part):
    report, lines = judge.view("report"), judge.view("c2c", "-n", "0")
    expected = []
    for verdict, words in FIGHTS.items():
        cost = sum(line["cost_cycles"] for line in lines["lines"] if line["verdict"] == verdict)
        if cost:
            expected.append((words, cost / report["cost_cycles"]))
    expected += [(SOURCES[one["source"]], one["share"]) for one in report["sources"][:3]]
    # Other cards are of all busy cycles, or of fights that are not sure.
    shown = [card for card in part.all(".card")
             if any(only(card.all("span")).text.endswith(": " + words) for words, _ in expected)]
    judge.same("cards", [only(card.all("span")).text.rsplit(": ", 1)[-1] for card in shown], [words for words, _ in expected])
    for card, (words, share) in zip(shown, expected):
        judge.share(words, only(card.all("b")).text, share)
        judge.near(f"bar of {words}", only(card.all("i")).width, (card.width - 2) * share)
    worst = only(part.all("ol")).kids if report["worst"] else []
    judge.same("worst", len(worst), len(report["worst"]))
    for item, row in zip(worst, report["worst"]):
        judge.share(f"worst {row['rank']}", only(item.all("b")).text if row["cost_cycles"] else "0%", row["cost"])
        for name in (row["data"], row["function"], row["other_function"]):
            if name and not any(name in (one.text, one.text.removesuffix("()"), spelled(one.text)) for one in item.all("code")):
                judge.same(f"names of worst {row['rank']}", item.text, name)


def range_of(rows, at):
    row = rows[at]
    return f"{count(row['above'] + 1 if at else 0)} to {count(row['to'])}" if row["to"] else f"> {count(row['above'])}"


def sources_of(row):
    return [(source, weight) for source, weight in row["weights"].items() if weight]


def stack(judge, what, cell, parts, whole, legend):
    """parts: of a bar, (title, value, source), side by side from the left; whole: the value of all of its width."""
    bar = only(cell.all(".stack"))
    judge.same(f"{what}: parts", [one.title for one in bar.kids], [title for title, _, _ in parts])
    x = bar.x
    for one, (title, value, source) in zip(bar.kids, parts):
        judge.near(f"{what}: left of {title}", one.x, x)
        judge.near(f"{what}: width of {title}", one.width, bar.width * value / whole)
        judge.same(f"{what}: colour of {title}", one.color, legend.get(SOURCES[source]))
        x += one.width


def legend_of(part):
    """The colour of each name."""
    items = next((one.inside for one in part.all(".legend")), [])
    return {items[k + 1].strip(): one.color for k, one in enumerate(items) if isinstance(one, Element)}


def latency(judge, part):
    view = judge.view("buckets")
    rows = view["buckets"]
    if not view["total"]["weight"]:
        return
    at = [number for number, row in enumerate(rows) if row["weight"]]
    most = max(row["weight"] for row in rows)
    legend = legend_of(part)
    judge.same("legend", list(legend), [SOURCES[source] for source, _ in sources_of(view["total"])])
    judge.same("colours of the legend", len(set(legend.values())), len(legend))
    least = view["quality"]["ldlat"]
    told = only(kid for kid in part.kids if kid.tag == "p" and not kid.names).text
    judge.same("threshold", told.endswith(f" Loads faster than {least} cycles are not sampled." if least else "they took."), True)
    shown = part.rows()
    judge.same("rows of latencies", [row[0].text for row in shown], [range_of(rows, k) for k in range(at[0], at[-1] + 1)])
    for cells, row in zip(shown, rows[at[0]:]):
        what = f"latency {cells[0].text}"
        stack(judge, what, cells[1], [(f"{SOURCES[source]}: {count(weight)} loads", weight, source)
                                      for source, weight in sources_of(row)], most, legend)
        judge.same(f"{what}: loads", cells[2].text, count(row["weight"]))
        judge.share(what, cells[3].text, row["weight"] / view["total"]["weight"])


def nodes(judge, part):
    cells = {(one["from"], one["to"]): one for one in judge.view("report")["nodes"]}
    table = only(part.all("table"))
    name = {None: "not known"}
    name.update({node: f"node {node}" for node in range(64)})
    place = {text: node for node, text in name.items()}
    across = [place.get(one.text) for one in list(table.all("thead"))[0].kids[0].kids[1:]]
    seen = set()
    for row in table.rows():
        start = place[row[0].text]
        for end, cell in zip(across, row[1:]):
            told = cells.get((start, end))
            seen.add((start, end))
            what = f"from {name[start]} to {name[end]}"
            if not told:
                judge.same(what, cell.text, "-")
                continue
            judge.share(what, only(cell.all("span")).text, told["cost"])
            judge.same(what, only(cell.all("small")).text, f"{count(told['loads'])} loads, {count(told['stores'])} stores")
            heat = only(cell.all(".heat"))
            judge.near(f"{what}: colour", heat.opacity, told["cost"] / 2, 0.0051)
            judge.near(f"{what}: width of the colour", heat.width, cell.width, 2.1)
            judge.same(f"{what}: kind", cell.names,
                       ["dim" if None in (start, end) else "near" if start == end else "far"])
    judge.same("cells of nodes", set(cells) <= seen, True)


def chains(judge):
    """The tree of names, outermost first: name, cycles, callees."""
    tree = {}
    for line in judge.told("export", "--format", "folded").decode(errors="surrogateescape").splitlines():
        chain, cycles = line.rsplit(" ", 1)
        level = tree
        for name in chain.split(";"):
            entry = level.setdefault(name, [0, {}])
            entry[0] += int(cycles)
            level = entry[1]
    return tree


def boxes(judge, what, shown, cycles, tree, whole, left, pixels, top):
    # First what no callee of it waited.
    before, wanted = cycles - sum(one for one, _ in tree.values()), []
    for name in sorted(tree, key=lambda one: one.encode(errors="surrogateescape")):
        if tree[name][0] / whole * 100 >= 0.15:
            wanted.append((name, before))
        before += tree[name][0]
    judge.same(f"{what}: boxes", [only(kid for kid in one.kids if kid.tag == "a").text for one in shown],
               [cut(name, 100) for name, _ in wanted])
    for one, (name, before) in zip(shown, wanted):
        cycles, inner = tree[name]
        title = [kid for kid in one.kids if kid.tag == "a"][0].title
        judge.same(f"{what}: title", title.rsplit(": ", 1)[0], cut(name, 100))
        judge.share(f"{what}: {name}", title.rsplit(": ", 1)[1], cycles / whole)
        judge.near(f"{what}: left of {name}", one.x, left + pixels * before / whole)
        judge.near(f"{what}: width of {name}", one.width, pixels * cycles / whole)
        judge.near(f"{what}: row of {name}", one.y, top)
        boxes(judge, f"{what};{name}", [kid for kid in one.kids if "box" in kid.names], cycles, inner, whole,
              left + pixels * before / whole, pixels, top + 19)


def flame(judge, part, clicked):
    found = list(part.all(".flame"))
    if not found:
        judge.same("no call chains", "record -g" in part.text, True)
        return
    graph, tree = found[0], chains(judge)
    whole = sum(cycles for cycles, _ in tree.values())
    boxes(judge, "flame", graph.kids, whole, tree, whole, graph.x, graph.width, graph.y)
    graph = Element(clicked)
    one = next(graph.all("#f1"), None)
    # What is not displayed has no rectangle.
    shown = {box.id for box in graph.all(".box") if box.height}
    around = {box.id for box in graph.all(".box") if one and one in box.all()}
    judge.same("boxes after a click", shown, around | {"f1"} | {box.id for box in one.all(".box")} if one else set())
    for box in graph.all(".box"):
        if one and box.id in around | {"f1"}:
            judge.near(f"width of {box.id} after a click", box.width, graph.width)


def code(judge, part):
    functions = judge.view("annotate", "-n", "4")["functions"]
    for article in part.all("article"):
        name = next(only(article.all("h3")).all("code")).text.removesuffix("()")
        told = next((one for one in functions if name in (one["function"], one["symbol"])), None)
        if not told:
            judge.same("function", name, [one["function"] for one in functions])
            continue
        judge.share(name, only(article.all("h3")).text.rsplit("): ", 1)[-1], told["cost"])
        rows = {row["function_offset"]: row for row in told["rows"] if row["kind"] == "instruction"}
        most = max(row["cost_cycles"] for row in rows.values())
        for cells in article.rows():
            if len(cells) < 6 or not cells[4].text.startswith("+"):
                continue
            row = rows.get(f"+0x{int(cells[4].text, 16):02x}")
            if not row:
                judge.same(name, cells[4].text, "an offset of annotate")
                continue
            what = f"{name}{row['function_offset']}"
            judge.same(what, cells[5].text, row["text"] or "(the code cannot be read here)")
            judge.same(f"{what}: stores", cells[3].text, count(row["stores"]) if row["stores"] else "")
            bars = list(cells[0].all(".bar"))
            judge.same(f"{what}: bars", len(bars), 1 if row["cost_cycles"] else 0)
            if bars:
                judge.share(what, cells[0].text, row["cost"])
                judge.near(f"{what}: bar", bars[0].width, cells[0].width * row["cost_cycles"] / most)
            if row["loads"]:
                judge.same(f"{what}: cycles", cells[1].text, count(int(row["latency_avg"])))
                judge.share(f"{what}: HITM", cells[2].text, row["hitm"] / row["loads"], 0)


def runs(party):
    """Bytes of equal use: first, last, words."""
    use = [("loaded" if byte in party["bytes_loaded"] else "") +
           ("stored" if byte in party["bytes_stored"] else "") for byte in range(64)]
    for word, group in itertools.groupby(range(64), lambda byte: use[byte]):
        group = list(group)
        if word:
            yield group[0], group[-1], "loaded and stored" if word == "loadedstored" else word


def lines(judge, part):
    told = judge.view("c2c", "-n", "10")["lines"]
    articles = list(part.all("article"))
    judge.same("lines", [only(one.all(".rank")).text for one in articles], [str(line["rank"]) for line in told])
    for article, line in zip(articles, told):
        what, heading = f"line {line['rank']}", only(article.all("h3"))
        verdict = f"{line['rank']} {line['verdict_text']}"
        judge.same(f"{what}: heading", heading.text.rsplit(": ", 1)[0].startswith(verdict), True)
        labels = [one.text for one in heading.all("code")]
        if spelled(*labels or [""]) != line["data"]:
            judge.same(f"{what}: data", labels, [line["data"]] if line["data"] else [])
        judge.share(what, heading.text.rsplit(": ", 1)[1], line["cost"])
        judge.same(f"{what}: story", next(article.all("p")).text, line["story"])
        layout = list(article.all(".layout"))
        shown = layout[0].rows() if layout else []
        judge.same(f"{what}: parties", len(shown), min(len(line["parties"]), 8))
        for cells, party in zip(shown, line["parties"]):
            name = f"{what}: {cells[0].text}"
            judge.same(name, cells[0].text.split()[-1], str(party["tid"]))
            judge.same(f"{name}: loads, HITM, stores", [one.text for one in cells[2:]],
                       [count(party[key]) for key in ("loads", "hitm", "stores")])
            place = only(cells[1].all(".bytes"))
            expected = list(runs(party))
            judge.same(f"{name}: bytes", [one.title for one in place.kids],
                       [f"bytes {first} to {last}: {words}" for first, last, words in expected])
            for one, (first, last, _) in zip(place.kids, expected):
                judge.near(f"{name}: left of {one.title}", one.x - place.x, place.width * first / 64)
                judge.near(f"{name}: width of {one.title}", one.width, place.width * (last + 1 - first) / 64)
        for cells, row in zip([row for one in article.all("details") for row in one.rows()], line["rows"]):
            texts = [cell.text for cell in cells]
            for key in ("line_offset", "symbol", "module"):
                if row[key]:
                    judge.same(f"{what}: {key} of a row", next((text for text in texts if row[key] == text), texts), row[key])


def time_cells(judge, what, cell, columns, length, legend):
    """columns: a title, or None for a gap; the seconds; its strength, 0 to 1; its source."""
    bar = only(cell.all(".stack"))
    shown = [one for one in bar.kids if one.title]
    wanted = [one for one in columns if one[0]]
    judge.same(f"{what}: cells", [one.title for one in shown], [one[0] for one in wanted])
    x, at = bar.x, {}
    for title, seconds, strength, source in columns:
        at[title] = (x, seconds, strength, source)
        x += bar.width * seconds / length
    for one, (title, _, _, _) in zip(shown, wanted):
        x, seconds, strength, source = at[title]
        judge.near(f"{what}: left of {title}", one.x, x)
        judge.near(f"{what}: width of {title}", one.width, bar.width * seconds / length)
        judge.near(f"{what}: colour of {title}", one.opacity, 0.12 + 0.88 * strength, 0.02)
        judge.same(f"{what}: source of {title}", one.color, legend.get(SOURCES[source]))


def within(interval):
    return f"{interval['from_s'] + 0.01:.3f},{interval['to_s'] - 0.01:.3f}"


def over_time(judge, part, legend):
    intervals = judge.view("report").get("intervals") or []
    if not intervals:
        judge.same("no times", "record --interval" in part.text, True)
        return
    length = sum(one["to_s"] - one["from_s"] for one in intervals)
    spans = [f"{one['from_s']:.1f} to {one['to_s']:.1f} s" for one in intervals]
    by_source, by_latency = [list(table.rows()) for table in part.all(".time")]
    judge.same("ends of the axis", [one.text for one in by_source[-1][1].all("span")],
               [f"{intervals[0]['from_s']:.1f} s", f"{intervals[-1]['to_s']:.1f} s"])
    bar = only(by_source[0][1].all(".stack"))
    x = bar.x
    judge.same("bars", [one.title.split(" s")[0] + " s" for one in bar.kids], spans)
    for one, told in zip(bar.kids, intervals):
        judge.near("left of a bar", one.x, x)
        judge.near("width of a bar", one.width, bar.width * (told["to_s"] - told["from_s"]) / length)
        judge.near("foot of a bar", one.y + one.height, bar.y + bar.height)
        x += one.width
    highest = max((one.height, one.title) for one in bar.kids)
    judge.near("the highest bar", highest[0], 48, 1)
    judge.same("the highest bar is named", highest[1].split(":")[0] in part.text.split("From left")[0], True)
    views = [(judge.view("report", "--time", within(one)),
              judge.view("buckets", "--time", within(one))) for one in intervals]
    judge.same("samples of the intervals", [view["quality"]["samples"] for view, _ in views],
               [one["samples"] for one in intervals])
    shown = {cells[0].text.strip(): cells[1] for cells in by_source[1:-1]}
    seconds = [one["to_s"] - one["from_s"] for one in intervals]
    cost = {source: [next((one["share"] for one in view["sources"] if one["source"] == source), 0) for view, _ in views]
            for source in SOURCES}
    judge.same("sources over time", [name for name in SOURCES.values() if name in shown],
               [SOURCES[source] for source in SOURCES if any(cost[source])])
    whole = [view["cost_cycles"] for view, _ in views]
    rates = {source: [(share * all_of / length_of) ** 0.5 for share, all_of, length_of in zip(cost[source], whole, seconds)]
             for source in SOURCES}
    most = max(max(one) for one in rates.values())
    for source, name in SOURCES.items():
        if name in shown:
            time_cells(judge, name, shown[name], [
                (f"{span}: {100 * share:.1f}% of its latency, {count(buckets['total']['sources'][source])} samples"
                 if share else None, second, rate / most, source)
                for span, share, second, rate, (_, buckets) in
                zip(spans, cost[source], seconds, rates[source], views)], length, legend)
    rows = [view["buckets"] for _, view in views]
    at = [k for k in range(len(rows[0])) if any(row[k]["weight"] for row in rows)]
    wanted = list(range(at[-1], at[0] - 1, -1))
    judge.same("latencies over time", [cells[0].text for cells in by_latency[:-1]], [range_of(rows[0], k) for k in wanted])
    most = max((row[k]["weight"] / second) ** 0.5 for row, second in zip(rows, seconds) for k in wanted)
    for cells, k in zip(by_latency, wanted):
        columns = []
        for span, row, second in zip(spans, rows, seconds):
            source, weight = max(row[k]["weights"].items(), key=lambda one: one[1])
            columns.append((f"{span}: {count(row[k]['weight'])} loads, {100 * weight / row[k]['weight']:.0f}% of them {SOURCES[source]}"
                            if weight else None, second, (row[k]["weight"] / second) ** 0.5 / most, source))
        time_cells(judge, f"latency {cells[0].text}", cells[1], columns, length, legend)
    for cells, span, told in zip(list(part.all("details"))[-1].rows(), spans, intervals):
        judge.same("an interval", [one.text for one in cells[:3]], [span, count(told["samples"]), count(told["cost_cycles"])])


def number_of(text):
    """The number in a cell, of "0 to 37.0%" the last but of "2.0 to 4.0 s" the first; "-": None."""
    found = re.fullmatch(r"\+?(0x[0-9a-f]+)|(?:0 to )?([\d,]+(?:\.\d+)?)(?:%| to .* s)?", text)
    return None if text == "-" else int(found[1], 16) if found[1] else float(found[2].replace(",", ""))


def sorting(judge, tables):
    """The first click puts the largest number first, the second the smallest; what has none stays last."""
    for one in tables:
        what = f"sorted by {one['heading']}"
        for clicked in ("once", "twice"):
            judge.same(what, sorted(one[clicked]), sorted(one["before"]))
        if one["words"]:
            ends = [[text for text, _ in itertools.groupby(one[clicked]) if text != "-"] for clicked in ("once", "twice")]
            judge.same(f"{what} twice", ends[1], ends[0][::-1])
            continue
        for clicked, falls in (([number_of(text) for text in one["once"]], True), ([number_of(text) for text in one["twice"]], False)):
            known = [number for number in clicked if number is not None]
            judge.same(what, clicked, sorted(known, reverse=falls) + [None] * (len(clicked) - len(known)))


def searching(judge, body, searches):
    """What has the words stays, and boxes that have them in their name are marked."""
    articles = [one.text.lower() for one in body.all("article")]
    counters = ["".join(cell.text for cell in row).lower() for row in only(body.all("#quality")).rows()]
    boxes = [(one.id, one.kids[0].text.lower()) for one in body.all(".box")]
    tree = chains(judge) if boxes else {}

    def having(level, words):
        """The cycles of chains with a name that has the words."""
        return sum(cycles if words in name.lower() else having(inner, words) for name, (cycles, inner) in level.items())

    for one in searches:
        words = one["words"].lower().removesuffix("…")
        what = f"search of {words}"
        for shown, texts in ((one["articles"], articles), (one["rows"], counters)):
            judge.same(what, shown, [words in text for text in texts])
        judge.same(what, one["boxes"], [box for box, name in boxes if words in name])
        if boxes:
            judge.share(what, one["note"].split("with ")[1], having(tree, words) / sum(cycles for cycles, _ in tree.values()), 0)


def judge_page(ctl, profile, page, paths):
    judge = Judge(ctl, profile, paths)
    body = Element(page["body"])
    part = {one.id: one for one in body.all("section")}
    header(judge, page)
    cards(judge, part["answer"])
    lines(judge, part["lines"])
    latency(judge, part["latency"])
    over_time(judge, part["time"], legend_of(part["latency"]))
    flame(judge, part["flame"], page["clicked"])
    code(judge, part["code"])
    nodes(judge, part["nodes"])
    sorting(judge, page["sorted"])
    searching(judge, body, page["searched"])
    return judge.wrong


def digest(content):
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    return library.XXH3_64bits(ctypes.c_char_p(content), ctypes.c_size_t(len(content)))


def renamed(content):
    for name, other in NAMES.items():
        content = content.replace(name, other)
    return content


def rename(profile):
    """Documentation/memlat-profile.5 has the layout."""
    with open(profile, "rb") as file:
        old = file.read()
    size, number = struct.unpack_from("<II", old, 12)
    at, out = size, b""
    for _ in range(number):
        kind, flags, length, _ = struct.unpack_from("<IIQQ", old, at)
        content = old[at + 24:at + 24 + length]
        at += 24 + length
        if kind == 6:
            session = json.loads(content)
            content = json.dumps(dict(session, command=COMMAND)).encode()
        elif kind == 9:
            plain = renamed(zlib.decompress(content[12:]))
            content = content[:12] + zlib.compress(plain, 1)
        else:
            content = renamed(content)
        section = struct.pack("<IIQ", kind, flags, len(content))
        out += section + struct.pack("<Q", digest(content + section)) + content
    head = old[:24] + struct.pack("<Q", size + len(out))
    return head + struct.pack("<Q", digest(head)) + out


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "outer":
        frames = []
        for name in sys.argv[2:]:
            with open(f"{name}.html", encoding="utf-8") as file:
                frames.append(f'<iframe width="1280" height="2000" srcdoc="{html.escape(file.read())}"></iframe>')
        print(OUTER % "".join(frames))
    elif len(sys.argv) > 4 and sys.argv[1] == "judge":
        dom = sys.stdin.read()
        pages = json.loads(html.unescape(re.search(r"<body>(.*)</body>", dom, re.S)[1]))
        for profile, page in zip(sys.argv[4:], pages, strict=True):
            print(judge_page(sys.argv[2], profile, page, sys.argv[3]), "wrong in", profile, flush=True)
    elif len(sys.argv) == 3 and sys.argv[1] == "rename":
        sys.stdout.buffer.write(rename(sys.argv[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
