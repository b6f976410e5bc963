# SPDX-License-Identifier: GPL-2.0
"""Read the call graph of a kernel module from what objdump prints.

Whatever a function refers to counts as called, even if it is a pointer. Code that alternatives may
patch in counts as patched in. So the graph may have calls that never happen, but it lacks none.
"""
import bisect
import re
import subprocess

THUNK = "__x86_indirect_thunk"
# Sections of tools and of patching. Nobody calls through their pointers.
NOT_DATA = re.compile(r"\.(debug|orc|mcount|text|init\.text|exit\.text|altinst|return_sites|"
                      r"retpoline|ibt|call_sites|cfi|ex_table|noinstr)|__mcount|__bug|__jump|__ex_|"
                      r"__patchable|\.static_call|\.initcall|\.smp_locks|\.parainst|__tracepoint|"
                      r"\.export|\.codetag|\.gnu\.linkonce|\.discard|\.exitcall|\.comment|\.BTF|\.eh_frame")
# An NMI must never execute these. WARN() and BUG() consist of some of them.
GRAVE = re.compile(r"^(ud[012][a-z]*|int3|sti|hlt|iret[a-z]*|sysret[a-z]*|popf[a-z]*|swapgs)$")
BRANCH = re.compile(r"^(?:(?:notrack|bnd|cs|ds|rep) )*(call|j[a-z]+|loop[a-z]*|xbegin)(?:q|,pt|,pn)? +(.*)$")


def plain(name):
    """Return the name that the source has."""
    return re.sub(r"\.(cold|constprop|isra|part)(\..*)?$", "", name)


class Function:
    """A function, or one instruction if its section has no functions."""

    def __init__(self, section, address, name):
        self.section, self.address, self.name = section, address, name
        self.file = ""
        self.edges = {}         # Function: address of the first reference
        self.uses = {}          # symbol of the kernel, or "instruction:...": address
        self.indirect = []      # addresses of calls through a pointer
        self.stack = 8
        self.code = []          # addresses of all instructions

    @property
    def plain(self):
        return plain(self.name)

    def __str__(self):
        return f"{self.file}:{self.plain}" if self.file else self.plain


def objdump(*args):
    return subprocess.run(["objdump", *args], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout.splitlines()


def split_target(text, pc_relative):
    """Return a relocation's symbol, and the offset from it. PC32 counts from the field's start."""
    match = re.match(r"^(.*?)([+-]0x[0-9a-f]+)?$", text)
    offset = int(match[2], 16) if match[2] else 0
    return match[1], offset + (4 if pc_relative else 0)


class Graph:
    def __init__(self, path):
        self.path = path
        self.ended = False      # no way from the last instruction to the next
        self.functions = {}     # (section, address): Function
        self.starts = {}        # section: sorted addresses
        self.by_name = {}       # global or local symbol: [(section, address)]
        self.undefined, self.sections, self.file_of = set(), set(), {}
        self.pointed = set()    # functions whose address data or code hands out
        self.late = []          # (Function, section, offset, at): known when all is read
        self.read_symbols()
        self.read_code()
        self.resolve()
        self.read_relocations()

    def read_symbols(self):
        file = ""
        for line in objdump("-t", self.path):
            match = re.match(r"^([0-9a-f]{16}) (.{7}) (\S+)\s+[0-9a-f]+ (?:\.hidden )?(.*)$", line)
            if not match:
                continue
            address, flags, section, name = int(match[1], 16), match[2], match[3], match[4]
            if section == "*UND*":
                self.undefined.add(name)
            elif "f" in flags:
                file = name
            elif "d" in flags:
                self.sections.add(section)
            elif "F" in flags:
                self.by_name.setdefault(name, []).append((section, address))
                self.file_of[section, address] = file if flags[0] == "l" else ""

    def add(self, section, address, name):
        function = Function(section, address, name)
        function.file = self.file_of.get((section, address), "")
        self.functions[section, address] = function
        self.starts.setdefault(section, []).append(address)
        return function

    def read_code(self):
        section, function, insn, before = "", None, None, None
        for line in objdump("-dr", "--no-show-raw-insn", self.path):
            if line.startswith("Disassembly of section"):
                self.instruction(function, insn)
                section, function, insn, before = line.split()[3].rstrip(":"), None, None, None
                continue
            match = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
            if match:
                self.instruction(function, insn)
                insn = None
                function = self.add(section, int(match[1], 16), match[2])
                continue
            match = re.match(r"^\s+[0-9a-f]+: (R_X86_64_\w+)\s+(\S+)", line)
            if match:
                insn[2].append((match[1], match[2]))
                continue
            match = re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line)
            if not match:
                continue
            self.instruction(function, insn)
            insn = (int(match[1], 16), re.sub(r"\s+", " ", match[2]), [])
            # These sections have no functions. So each instruction is a node that continues with
            # the next one, and the places where they are patched in say where a replacement begins.
            if section.startswith(".altinstr"):
                if insn[0] != function.address:
                    before, function = function, self.add(section, insn[0], section)
                    if section == ".altinstr_aux" and not self.ended:
                        before.edges[function] = insn[0]
                self.ended = bool(re.match(r"^(jmp|ret)", insn[1]))
        self.instruction(function, insn)

    def instruction(self, function, insn):
        """Note what an instruction refers to, with its relocations."""
        if not insn:
            return
        at, text, relocs = insn
        branch = BRANCH.match(text)
        function.code.append(at)
        thunk = any(target.startswith(THUNK) for _, target in relocs)
        if thunk or (branch and branch[2].startswith("*")):
            function.indirect.append(at)
        for kind, target in relocs:
            if not target.startswith(THUNK):
                self.refers(function, kind, target, at, branch[1] if branch else "pointer")
        if branch and not relocs and not branch[2].startswith("*"):
            self.late.append((function, function.section, int(branch[2].split()[0], 16), at,
                              branch[1]))
        word = text.split()[0]
        if GRAVE.match(word):
            function.uses.setdefault("instruction:" + word, at)
        if word.startswith("push"):
            function.stack += 8
        # A compiler allocates 128 bytes by adding -128, because that is shorter.
        match = re.match(r"^(sub|add)q? +\$0x([0-9a-f]+),%rsp", text)
        if match:
            taken = int(match[2], 16)
            if match[1] == "add":
                taken = (1 << 64) - taken
            function.stack += taken if taken < 1 << 31 else 0

    def refers(self, function, kind, target, at, how):
        symbol, offset = split_target(target, kind in ("R_X86_64_PC32", "R_X86_64_PLT32"))
        if symbol in self.sections:
            self.late.append((function, symbol, offset, at, how))
        elif symbol in self.undefined:
            function.uses.setdefault(symbol, at)
        else:
            # If several functions have this name, each of them counts.
            for section, address in self.by_name.get(symbol, ()):
                self.late.append((function, section, address, at, how))

    def holder(self, section, address):
        """Return the function that contains this address, or None if it is data."""
        starts = self.starts.get(section)
        if not starts or address < starts[0]:
            return None
        return self.functions[section, starts[bisect.bisect_right(starts, address) - 1]]

    def resolve(self):
        for function, section, offset, at, how in self.late:
            to = self.holder(section, offset)
            if not to:
                continue
            begins = to.address == offset and not section.startswith(".altinstr")
            if to is not function:
                function.edges.setdefault(to, at)
            elif begins and how == "call":
                function.uses.setdefault("instruction:a call of itself", at)
            if begins and how == "pointer":
                self.pointed.add(to)

    def read_relocations(self):
        """Read what data points to, and where alternatives are patched in."""
        section, alternatives, found = "", [], set()
        for line in objdump("-r", self.path):
            if line.startswith("RELOCATION RECORDS"):
                section = line.split("[")[1].rstrip("]:")
            elif section == ".altinstructions" and "R_X86_64_PC32" in line:
                alternatives.append(split_target(line.split()[2], False))
            elif "R_X86_64_64" in line and not NOT_DATA.match(section):
                symbol, offset = split_target(line.split()[2], False)
                if symbol in self.sections:
                    found.add((symbol, offset))
                else:
                    found.update(self.by_name.get(symbol, ()))
        self.pointed.update(self.functions[place] for place in found if place in self.functions)
        # Relocations come in pairs: where to patch, and with what.
        patches = [(patch[1], self.holder(*place))
                   for place, patch in zip(alternatives[::2], alternatives[1::2])]
        begins = sorted({begin for begin, _ in patches})
        for begin, function in patches:
            following = begins[bisect.bisect_right(begins, begin):]
            for address in self.starts.get(".altinstr_replacement", ()):
                if address >= begin and not (following and address >= following[0]):
                    patch = self.functions[".altinstr_replacement", address]
                    function.edges.setdefault(patch, address)

    def sources(self, places):
        """Return (function, file, line) lists for addresses of a section, inlined functions first."""
        answer = {}
        by_section = {}
        for section, address in places:
            by_section.setdefault(section, []).append(address)
        for section, addresses in by_section.items():
            out = subprocess.run(["addr2line", "-a", "-f", "-i", "-j", section, "-e", self.path],
                                 input="".join(f"{address:#x}\n" for address in addresses), check=True,
                                 stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines()
            frames = None
            i = 0
            while i < len(out):
                if out[i].startswith("0x"):
                    frames = answer.setdefault((section, int(out[i], 16)), [])
                    i += 1
                    continue
                file, _, line = out[i + 1].partition(" ")[0].rpartition(":")
                frames.append((out[i], file, line))
                i += 2
        return answer
