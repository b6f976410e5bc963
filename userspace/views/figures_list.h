/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures that rows of several views show: F_RANK and so on, its key, its heading, what it needs,
 * its cell, and for the schemas and the manual the kind of its cells and what it is. figures.h makes
 * enum figure_id of this list, and figures.c the table. What has no cell here is a name that tables
 * give to cells of their own.
 */
FIGURE(RANK, "rank", "#", BY(rank), SAYS(COUNT, "the row's number, from 1"))
FIGURE(COST, "cost", "cost", NEEDS(NEEDS_LOADS), BY(cost), .bounded = true,
       SAYS(SHARE, "share of the latency of all sampled loads"))
FIGURE(CUMULATIVE, "cumulative", "cum.", NEEDS(NEEDS_LOADS), BY(cumulative),
       SAYS(SHARE, "the cost of this row and those above"))
FIGURE(LINE, "addr", "line", IS(HEX, addr), SAYS(HEX, "address of the cache line"))
FIGURE(IP, "ip", "ip", IS(HEX, ip), SAYS(HEX, "address of the instruction"))
FIGURE(PHYS, "phys", "phys", NEEDS(NEEDS_PHYS), IS(HEX, phys), .known = true, SAYS(HEX, "physical address"))
FIGURE(HOME, "home", "home", NEEDS(NEEDS_PHYS), BY(home), SAYS(COUNT, "node of the memory"))
FIGURE(HITM, "hitm", "HITM", NEEDS(NEEDS_LOADS), COUNT(sum.hitm),
       SAYS(COUNT, "loads of a line that was modified in another core's cache"))
FIGURE(HITM_REMOTE, "hitm_remote", "RmtHitm", NEEDS(NEEDS_LOADS | NEEDS_REMOTE), COUNT(sum.hitm_remote),
       SAYS(COUNT, "of hitm, in another socket's cache"))
FIGURE(HITM_LOCAL, "hitm_local", "LclHitm", NEEDS(NEEDS_LOADS | NEEDS_HITM), BY(hitm_local),
       SAYS(COUNT, "of hitm, in this socket"))
FIGURE(FWD, "xsnp_fwd", "fwd or HITM", NEEDS(NEEDS_LOADS | NEEDS_FWD), COUNT(sum.fwd),
       SAYS(COUNT, "loads from a core of this socket, modified or clean; null where the CPU tells which"))
FIGURE(SAMPLES, "samples", "samples", COUNT(sum.samples), SAYS(COUNT, "sampled loads and stores"))
FIGURE(LOADS, "loads", "loads", NEEDS(NEEDS_LOADS), BY(loads), SAYS(COUNT, "sampled loads"))
FIGURE(STORES, "stores", "stores", NEEDS(NEEDS_STORES), COUNT(sum.stores), SAYS(COUNT, "sampled stores"))
FIGURE(STORE_L1_HIT, "store_l1_hit", NULL, COUNT(sum.store_l1_hit), SAYS(COUNT, "stores that hit L1"))
FIGURE(STORE_HITM, "store_hitm", "stores HITM", NEEDS(NEEDS_STORES | NEEDS_STORE_SOURCE), COUNT(store_hitm),
       SAYS(COUNT, "stores to a line that was modified in another core's cache"))
FIGURE(STORE_FWD, "store_xsnp_fwd", NEEDS(NEEDS_STORE_SOURCE), COUNT(store_fwd),
       SAYS(COUNT, "stores to a line from a core of this socket, modified or clean"))
FIGURE(STORE_AVG, "store_latency_avg", NEEDS(NEEDS_STORE_SOURCE), BY(store_average),
       SAYS(AVERAGE, "average latency of the stores, cycles"))
FIGURE(ERROR, "error", NULL, COUNT(error), SAYS(COUNT, "samples that may be of an evicted row"))
FIGURE(WEIGHT, "weight", "est. accesses", COUNT(sum.weight),
       SAYS(COUNT, "estimated accesses that the samples stand for"))
FIGURE(COST_CYCLES, "cost_cycles", NULL, COUNT(sum.cost),
       SAYS(COUNT, "estimated cycles that the loads took"))
FIGURE(LATENCY_SUM, "latency_sum", NULL, COUNT(sum.latency_sum), SAYS(COUNT, "cycles of the sampled loads"))
FIGURE(AVG, "latency_avg", "avg cyc", NEEDS(NEEDS_LOADS), BY(average),
       SAYS(AVERAGE, "average latency of the loads, cycles"))
FIGURE(MAX, "latency_max", "max cyc", NEEDS(NEEDS_LOADS), COUNT(sum.latency_max),
       SAYS(COUNT, "largest latency of a load, cycles"))
FIGURE(NOT_MEMORY, "not_memory", NEEDS(NEEDS_MEMORY), COUNT(not_memory),
       SAYS(COUNT, "loads that hit L1 and waited for something else"))
FIGURE(LOCKED, "locked", "locked", NEEDS(NEEDS_TLB), COUNT(locked), SAYS(COUNT, "locked loads"))
FIGURE(TLB, "stlb_miss", NEEDS(NEEDS_TLB), COUNT(stlb_miss), SAYS(COUNT, "samples that missed the STLB"))
FIGURE(TLB_SHARE, "stlb_miss_share", "TLB miss", NEEDS(NEEDS_TLB), BY(tlb_share),
       SAYS(SHARE, "share of samples that missed the STLB"))
FIGURE(BLOCKED_DATA, "blocked_data", "blk data", NEEDS(NEEDS_BLOCKED | NEEDS_ANY), COUNT(blocked_data),
       SAYS(COUNT, "loads that waited for the data of an earlier store"))
FIGURE(BLOCKED_ADDR, "blocked_addr", "blk addr", NEEDS(NEEDS_BLOCKED | NEEDS_ANY), COUNT(blocked_addr),
       SAYS(COUNT, "loads that waited for the address of an earlier store"))
FIGURE(CPUS, "cpus", NULL, LEFT, IS(BITS, sum.cpus), SAYS(BITS, "CPUs, modulo 64"))
FIGURE(CPU_COUNT, "cpu_count", "CPUs", BY(cpu_count), SAYS(COUNT, "how many CPUs"))
FIGURE(NODES, "nodes", "nodes", LEFT, NEEDS(NEEDS_NODES), IS(BITS, sum.nodes),
       SAYS(BITS, "nodes of the CPUs"))
FIGURE(SOURCES, "sources", BY(sources), .sources = true, SAYS(SOURCES, "loads by what served them"))
FIGURE(LATENCY, "latency", BY(latency), .sources = true,
       SAYS(SOURCES, "cycles of the sampled loads by what served them"))
FIGURE(SERVED_TEXT, NULL, "loads served from", LEFT, NEEDS(NEEDS_LOADS), BY(served_text))
FIGURE(SERVED_FROM, "served_from", BY(served_from), SAYS(TEXT, "what served the loads, in words"))
FIGURE(PROCESS, NULL, "process", LEFT, BY(process))
FIGURE(COMM, "comm", BY(comm), SAYS(TEXT, "name of the process"))
FIGURE(PID, "pid", "pid", COUNT(pid), SAYS(COUNT, "number of the process"))
FIGURE(TID, "tid", "tid", SAYS(COUNT, "number of the thread"))
FIGURE(THREAD_COMM, "thread_comm", SAYS(TEXT, "name of the thread"))
FIGURE(THREADS, "threads", "threads", COUNT(sum.nr), SAYS(COUNT, "how many threads"))
FIGURE(CGROUP, "cgroup", "cgroup", LEFT, SAYS(TEXT, "path of the control group"))
FIGURE(GEN, "gen", NULL, COUNT(gen), SAYS(COUNT, "tells processes of one number apart"))
FIGURE(KERNEL, "kernel", BY(kernel), SAYS(BOOL, "is it the kernel's?"))
FIGURE(SHARED, "shared", BY(shared), SAYS(BOOL, "do other processes use the line?"))
FIGURE(FUNCTION, NULL, "function", LEFT, BY(function))
FIGURE(FUNCTION_NAME, "function", BY(function_name),
       SAYS(TEXT, "function in the source, which may be inlined"))
FIGURE(SYMBOL, "symbol", SAYS(TEXT, "function in the symbol table"))
FIGURE(OFFSET, "function_offset", BY(offset), SAYS(OFFSET, "offset in the symbol"))
FIGURE(INLINED, "inlined_in", BY(inlined), SAYS(TEXT, "symbol in which the function is inlined"))
FIGURE(SOURCE, NULL, "source line", LEFT, BY(source))
FIGURE(FILE, "file", BY(file), SAYS(TEXT, "source file of the code"))
FIGURE(FILE_LINE, "line", BY(file_line), SAYS(COUNT, "line in the source file"))
FIGURE(MODULE, "module", "module", LEFT, BY(module), SAYS(TEXT, "program or library of the code"))
FIGURE(PATH, "path", BY(path), SAYS(TEXT, "path of that file"))
FIGURE(INSTRUCTION, "instruction", "instruction", LEFT, SAYS(TEXT, "the instruction in assembly"))
FIGURE(DATA_TEXT, NULL, "data", LEFT)
FIGURE(DATA_NAME, "data", BY(data_name), SAYS(TEXT, "the data that is accessed"))
FIGURE(DATA_FIELD, "data_field", BY(data_field), SAYS(TEXT, "member of the data"))
FIGURE(DATA_KIND, "data_kind", "kind", LEFT, BY(data_kind), SAYS(TEXT, "kind of memory"))
FIGURE(DATA_TYPE, "data_type", "type", LEFT, BY(data_type), SAYS(TEXT, "type of the data"))
FIGURE(DATA_HOW, "data_how", BY(data_how), SAYS(TEXT, "how the data is known"))
FIGURE(DATA_SECTION, "data_section", BY(data_section), SAYS(TEXT, "section of the variable"))
FIGURE(DATA_SHARE, "data_share", BY(data_share), SAYS(SHARE, "share of the samples that access this data"))
FIGURE(DATA_SIZE, "data_size", "size", SAYS(COUNT, "bytes of the data"))
FIGURE(DATA_MODULE, "data_module", SAYS(TEXT, "program or library of the data"))
FIGURE(DATA_PATH, "data_path", SAYS(TEXT, "path of that file"))
FIGURE(VERDICT, "verdict", SAYS(TEXT, "why the line is shared, as a key"))
FIGURE(VERDICT_TEXT, "verdict_text", "verdict", LEFT, SAYS(TEXT, "the same in words"))
FIGURE(SURE, "sure", SAYS(SHARE, "how sure the verdict is"))
FIGURE(LINE_RANK, "line_rank", SAYS(COUNT, "the rank of its line in memlat-ctl c2c"))
FIGURE(PAGES, "pages", SAYS(COUNT, "physical pages at which the line was seen"))
FIGURE(HITM_SHARE, "hitm_share", "HITM", SAYS(SHARE, "share of HITM loads"))
