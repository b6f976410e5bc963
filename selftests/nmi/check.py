# SPDX-License-Identifier: GPL-2.0
"""Check that memlat's functions use nothing of the kernel that their context forbids.

check.py [--partial] CONTEXTS DOCUMENT OBJECT...: CONTEXTS says what each context allows. Prints a
line for each mistake, and then the status is 1. With --partial not all kernels are checked, so a
line of CONTEXTS that nobody needs is no mistake.
"""
import fnmatch
import os
import re
import sys

from graph import Graph, plain

# Half of an NMI's stack. The kernel's own part and what we call need the rest.
STACK = 2048
WHEN = {"nmi": "in an NMI", "off": "with interrupts off"}


class Contexts:
    def __init__(self, path):
        self.entries = {"nmi": {}, "off": {}, "task": {}}
        self.calls, self.called, self.may = {}, {}, {"nmi": {}, "off": {}}
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split("#")[0].split()
                if not words:
                    continue
                # Of a kernel that is not always checked, so it may not be needed.
                old = words[0] == "old"
                words = words[old:]
                if words[0] in self.entries and len(words) == 2:
                    self.entries[words[0]][words[1]] = False
                elif words[0] == "calls" and len(words) > 2:
                    self.calls[words[1]] = words[2:]
                    self.called[words[1]] = old
                elif words[0] == "may" and len(words) > 3 and words[1] in self.may:
                    self.may[words[1]][words[2]] = old
                else:
                    sys.exit(f"{path}:{number}: not understood: {line.strip()}")

    def allows(self, context, name):
        for group in ("nmi",) if context == "nmi" else ("nmi", "off"):
            if name in self.may[group]:
                self.may[group][name] = True
                return True
        return False

    def unused(self):
        for context, entries in self.entries.items():
            yield from (f"{context} {name}" for name, used in entries.items() if not used)
        yield from (f"calls {name}" for name, used in self.called.items() if not used)
        for context, names in self.may.items():
            yield from (f"may {context} {name}" for name, used in names.items() if not used)


def is_called(function, pattern):
    file, _, name = pattern.rpartition(":")
    return fnmatch.fnmatchcase(function.plain, name) and file in ("", function.file)


class Walk:
    """Find what one object calls in one context, directly or through other functions."""

    def __init__(self, graph, contexts, context, wrong):
        self.graph, self.contexts, self.context, self.wrong = graph, contexts, context, wrong
        self.parent, self.depth, self.active, self.told = {}, {}, [], set()
        sites = [(function.section, at) for function in graph.functions.values()
                 for at in function.indirect]
        self.site = graph.sources(sites)
        for entry in contexts.entries[context]:
            for function in self.matching(entry):
                contexts.entries[context][entry] = True
                self.visit(function, None)

    def matching(self, pattern):
        return [function for function in self.graph.functions.values()
                if is_called(function, pattern) and ".cold" not in function.name]

    def way(self, function):
        names = []
        while function:
            if not names or names[-1] != function.plain:
                names.append(function.plain)
            function = self.parent[function]
        return " -> ".join(reversed(names))

    def place(self, function, at):
        frame = self.graph.sources([(function.section, at)])[function.section, at][0]
        file = re.sub(r".*/((module|include|arch)/)", r"\1", frame[1])
        return f"{frame[0]}() in {file}:{frame[2]}"

    def use(self, function, name, at):
        if self.contexts.allows(self.context, name) or name in self.told:
            return
        self.told.add(name)
        what = f"executes {name[12:]}" if name.startswith("instruction:") else f"uses {name}"
        self.wrong(f"{WHEN[self.context]}: {self.way(function)} {what}: {self.place(function, at)}")

    def goals(self, function):
        """Return the functions that calls through pointers may call."""
        for at in function.indirect:
            name = self.site[function.section, at][0][0]
            if name not in self.contexts.calls:
                if (function, name) in self.told:
                    continue
                self.told.add((function, name))
                self.wrong(f"{WHEN[self.context]}: {self.way(function)} calls through a pointer, and contexts "
                           f"does not say what: {self.place(function, at)}")
                continue
            self.contexts.called[name] = True
            for pattern in self.contexts.calls[name]:
                matching = self.matching(pattern)
                yield from matching
                if not matching:
                    self.use(function, pattern, at)

    def visit(self, function, parent):
        """Return how deep the stack can get from this function on."""
        if function in self.depth:
            return self.depth[function]
        if function in self.active:
            piece = function.section.startswith(".altinstr") or parent.section.startswith(".altinstr")
            if not piece and function.plain != parent.plain:
                self.wrong(f"{WHEN[self.context]}: {self.way(parent)} -> {function.plain}: again, and no "
                           "recursion is allowed here")
            return 0
        self.parent.setdefault(function, parent)
        self.active.append(function)
        for name, at in function.uses.items():
            self.use(function, name, at)
        deepest = 0
        for to in [*function.edges, *self.goals(function)]:
            deepest = max(deepest, self.visit(to, function))
        self.active.pop()
        self.depth[function] = function.stack + deepest
        return self.depth[function]

    def names(self):
        """Return the source's name of each function that is reached, even if inlined, and its file."""
        places = [(function.section, at) for function in self.depth for at in function.code]
        return {plain(name): re.sub(r".*/module/", "", os.path.normpath(file))
                for frames in self.graph.sources(places).values() for name, file, _ in frames
                if "/module/" in file}


def documented(path):
    """Return the functions that the document lists behind a line ".. nmi", and behind ".. off"."""
    found, context = {"nmi": set(), "off": set()}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"^\.\. functions: (nmi|off|end)$", line)
            if match:
                context = match[1] if match[1] in found else None
            elif context:
                found[context].update(re.findall(r"``(\w+)\(\)``", line))
    return found


def main(partial, contexts_path, document_path, objects):
    contexts = Contexts(contexts_path)
    told = []

    def wrong(text):
        told.append(text)
        print(f"wrong: {text}")

    in_document, reached = documented(document_path), {"nmi": {}, "off": {}}
    for path in objects:
        graph = Graph(path)
        print(f"object: {path}")
        for function in sorted(graph.pointed, key=str):
            known = [pattern for entries in contexts.entries.values() for pattern in entries
                     if is_called(function, pattern)]
            known += [pattern for patterns in contexts.calls.values() for pattern in patterns
                      if is_called(function, pattern)]
            for pattern in contexts.entries["task"]:
                contexts.entries["task"][pattern] |= pattern in known
            if not known:
                wrong(f"somebody is given the address of {function}(), and contexts does not say when it is called")
        for context in ("nmi", "off"):
            walk = Walk(graph, contexts, context, wrong)
            reached[context].update(walk.names())
            if context == "nmi":
                deepest = max(walk.depth.values(), default=0)
                print(f"stack: {deepest} bytes of an NMI's")
                if not 0 < deepest <= STACK:
                    wrong(f"an NMI's stack: {deepest} bytes, {STACK} are allowed")
    for name in reached["nmi"]:
        reached["off"].pop(name, None)
    for context, functions in reached.items():
        for name, file in sorted(functions.items(), key=lambda pair: pair[::-1]):
            print(f"reached: {context} {file} {name}")
            if name not in in_document[context]:
                wrong(f"{name}() of {file} runs {WHEN[context]}, and {document_path} does not name it")
        for name in sorted(in_document[context] - set(functions) - set(contexts.may[context])):
            if not partial:
                wrong(f"{document_path} names {name}(), which does not run {WHEN[context]}")
    for text in contexts.unused():
        if not partial:
            wrong(f"contexts has '{text}', which no kernel's module needs")
    return 1 if told else 0


if __name__ == "__main__":
    PARTIAL = sys.argv[1:2] == ["--partial"]
    sys.exit(main(PARTIAL, *sys.argv[1 + PARTIAL:3 + PARTIAL], sys.argv[3 + PARTIAL:]))
