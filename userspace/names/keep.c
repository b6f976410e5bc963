// SPDX-License-Identifier: GPL-2.0
/*
 * Find the names of all that was sampled, for the profile to keep, and the machine code of the
 * functions that cost most.
 */
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "../profile/intervals.h"
#include "../profile/known.h"
#include "../profile/self.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "naming.h"
#include "operand_code.h"

/* most bytes of machine code: of all functions, and of one, as annotate shows it */
#define CODE_MOST	(256U << 10)
#define FUNCTION_MOST	(64U << 10)
/* Functions whose code is kept make up so much of the latency, and the rest has only names. */
#define CODE_PERCENT	95

struct keeping {
	struct namer *namer;
	struct known *known;
	struct self_known own;	/* views leave memlat-ctl's own rows out */
	struct name_cache seen_code, seen_data, seen_width;
	/* Names of code that are kept when the ranges of functions are complete. */
	struct name_cache_key *codes;
	size_t nr_codes, room_codes;
};

/* A sampled function of a process. */
struct function {
	const char *path;
	const struct code_name *name;	/* of a place in it */
	__u64 offset;		/* of its begin, in the file */
	__u64 start, size, cost;
	__u32 space, gen;
};

/* Note that a key was seen. False: it was before. */
static bool first_time(struct name_cache *seen, struct name_cache_key key)
{
	static const char yes;

	if (name_cache_find(seen, key))
		return false;
	name_cache_keep(seen, key, &yes);
	return true;
}

/* Names of the kernel are in a part of their own, which has no lines and no inlined functions. */
static bool worth_keeping(__u64 ip, const struct code_name *name)
{
	return kernel_address(ip) ? name->nr_frames != 0 : name->module != NULL;
}

/* A live view asks the kernel about the kernel's own code. */
static bool asked_live(const struct keeping *keeping, __u64 ip)
{
	return kernel_address(ip) && !keeping->namer->profile->kernel;
}

static void keep_code(struct keeping *keeping, __u32 space, __u32 gen, __u64 ip)
{
	struct name_cache_key key = { .address = ip, .space = space, .gen = gen };

	if (asked_live(keeping, ip))
		return;
	if (kernel_address(ip))
		key.space = key.gen = 0;
	if (!ip || !first_time(&keeping->seen_code, key))
		return;
	ARRAY_GROW(keeping->codes, keeping->nr_codes + 1, keeping->room_codes);
	keeping->codes[keeping->nr_codes++] = key;
}

static void keep_sampled(struct keeping *keeping, __u32 space, __u32 gen, __u64 ip)
{
	const struct profile *profile = keeping->namer->profile;

	keep_code(keeping, space, gen, ip && profile->snap.head.status.traits &
		  MEMLAT_TRAIT_IP_AFTER ? ip - 1 : ip);
}

/* Keep the names of these addresses, but for those within functions that are kept. */
static void keep_codes(struct keeping *keeping)
{
	struct known *known = keeping->known;
	struct code_name there;
	size_t i, kept = 0;

	for (i = 0; i < keeping->nr_codes; i++) {
		const struct name_cache_key key = keeping->codes[i];

		if (!known_find_code(known, key.space, key.gen, key.address, &there))
			keeping->codes[kept++] = key;
	}
	for (i = 0; i < kept; i++) {
		const struct name_cache_key key = keeping->codes[i];
		const struct code_name *name = namer_code(keeping->namer, key.space, key.gen,
							  key.address);

		if (worth_keeping(key.address, name))
			known_add_code(known, key.space, key.gen, key.address, 1, name);
	}
}

/* Data that nobody in particular uses, and as this thread and this instruction use it. */
static void keep_data(struct keeping *keeping, __u32 space, __u32 gen, __u64 address)
{
	const struct name_cache_key key = { .address = address, .space = space, .gen = gen };
	const struct data_name *name;

	/* The kernel's data have names in a part of their own. */
	if (kernel_address(address) || !first_time(&keeping->seen_data, key))
		return;
	name = namer_data(keeping->namer, space, gen, address, 0);
	if (name->name)
		known_add_data(keeping->known, space, gen, address, 0, 0, name);
}

static void keep_access(struct keeping *keeping, const struct memlat_rec_access *access)
{
	const __u32 space = access->tgid, gen = access->gen;
	const struct name_cache_key code = { .address = access->ip, .space = space, .gen = gen };
	struct known *known = keeping->known;
	const struct data_name *any, *name, *own;

	keep_sampled(keeping, space, gen, access->ip);
	if (!asked_live(keeping, access->ip) && first_time(&keeping->seen_width, code))
		known_add_width(known, space, gen, access->ip,
				namer_width(keeping->namer, space, gen, access->ip));
	if (kernel_address(access->addr))
		return;
	keep_data(keeping, space, gen, access->addr);
	any = namer_data(keeping->namer, space, gen, access->addr, 0);
	name = namer_data(keeping->namer, space, gen, access->addr, access->tid);
	own = asked_live(keeping, access->ip) ? name : namer_access(keeping->namer, access);
	if (name != any && name->name &&
	    known_keep_data(known, name) != known_keep_data(known, any))
		known_add_data(known, space, gen, access->addr, access->tid, 0, name);
	if (own->name && own != name)
		known_add_data(known, space, gen, access->addr, access->tid, access->ip, own);
}

/* The addresses of a line by which views name it, if no access of it is left. */
static void keep_line(struct keeping *keeping, const struct memlat_rec_line *line)
{
	const __u64 used = line->bytes_loaded | line->bytes_stored;
	unsigned int slot;

	keep_sampled(keeping, line->space, line->gen, line->ip);
	keep_data(keeping, line->space, line->gen, line->addr);
	if (used)
		keep_data(keeping, line->space, line->gen,
			  line->addr + (unsigned int)__builtin_ctzll(used));
	for (slot = 0; slot < MEMLAT_LINE_SLOTS; slot++)
		if (line->slot[slot] || line->slot_store[slot])
			keep_data(keeping, line->space, line->gen, line->addr + 8 * slot);
}

static void keep_stack(struct keeping *keeping, const struct memlat_rec_stack *stack)
{
	__u32 i;

	for (i = 0; i < stack->frames && i < MEMLAT_STACK_FRAMES; i++) {
		if (!i)
			keep_sampled(keeping, stack->tgid, stack->gen, stack->frame[i]);
		else
			keep_code(keeping, stack->tgid, stack->gen, stack->frame[i] - 1);
	}
}

static void keep_site(struct keeping *keeping, const struct memlat_rec_site *site)
{
	keep_sampled(keeping, site->space, site->gen, site->ip);
}

static void keep_stride(struct keeping *keeping, const struct memlat_rec_stride *stride)
{
	keep_sampled(keeping, stride->space, stride->gen, stride->ip);
}

#define KEEP_EACH(keeping, table, rows, nr, keep) do {				\
	size_t at_;								\
										\
	for (at_ = 0; at_ < (nr); at_++)					\
		if (!self_has(&(keeping)->own, table, &(rows)[at_]))		\
			keep(keeping, &(rows)[at_]);				\
} while (0)

static void keep_rows(struct keeping *keeping, const struct snapshot *snap)
{
	KEEP_EACH(keeping, TABLE_SITES, snap->sites, snap->nr_sites, keep_site);
	KEEP_EACH(keeping, TABLE_STRIDES, snap->strides, snap->nr_strides, keep_stride);
	KEEP_EACH(keeping, TABLE_STACKS, snap->stacks, snap->nr_stacks, keep_stack);
	KEEP_EACH(keeping, TABLE_ACCESSES, snap->accesses, snap->nr_accesses, keep_access);
	KEEP_EACH(keeping, TABLE_LINES, snap->lines, snap->nr_lines, keep_line);
}

COMPARE(by_place, struct function,
	strcmp(a->path, b->path) ?: order(a->offset, b->offset) ?: order(b->cost, a->cost) ?:
	order(a->space, b->space) ?: order(a->gen, b->gen))

COMPARE(by_cost, struct function,
	order(b->cost, a->cost) ?: strcmp(a->path, b->path) ?: order(a->offset, b->offset))

/* The sampled functions that have a name, the most costly first. */
static struct function *list_functions(struct keeping *keeping, size_t *nr)
{
	const struct snapshot *snap = &keeping->namer->profile->snap;
	const bool after = snap->head.status.traits & MEMLAT_TRAIT_IP_AFTER;
	struct function *functions = xmallocarray(snap->nr_sites, sizeof(*functions));
	size_t i, all = 0, kept = 0;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];
		const struct code_name *name;

		if (asked_live(keeping, site->ip) ||
		    self_has(&keeping->own, TABLE_SITES, site))
			continue;
		name = namer_sampled(keeping->namer, site->space, site->gen, site->ip);
		if (!name->raw || !name->path || !name->size)
			continue;
		functions[all++] = (struct function){
			.path = name->path, .name = name,
			.offset = name->module_offset - name->offset,
			.start = site->ip - after - name->offset, .size = name->size,
			.cost = site->cost, .space = site->space, .gen = site->gen,
		};
	}
	SORT(functions, all, by_place);
	for (i = 0; i < all; i++) {
		struct function *last = kept ? &functions[kept - 1] : NULL;

		if (last && last->offset == functions[i].offset &&
		    !strcmp(last->path, functions[i].path))
			last->cost += functions[i].cost;
		else
			functions[kept++] = functions[i];
	}
	SORT(functions, kept, by_cost);
	*nr = kept;
	return functions;
}

/* Code from start on, up to the next address, has this name. */
struct range {
	const struct code_name *kept;	/* NULL: none yet */
	struct code_name name;
	__u64 start;
};

static void end_range(struct keeping *keeping, const struct function *function,
		      const struct range *range, __u64 end)
{
	const bool kernel = kernel_address(function->start);

	if (range->kept && worth_keeping(range->start, &range->name))
		known_add_code(keeping->known, kernel ? 0 : function->space,
			       kernel ? 0 : function->gen, range->start, end - range->start,
			       &range->name);
}

/* If the name changes here, end the range and begin another one. */
static void name_next(struct keeping *keeping, const struct function *function,
		      struct range *range, __u64 here)
{
	const struct code_name *name = namer_code(keeping->namer, function->space, function->gen,
						  here);
	const struct code_name *kept = known_keep_code(keeping->known, name);

	if (kept == range->kept)
		return;
	end_range(keeping, function, range, here);
	*range = (struct range){ .kept = kept, .name = *name, .start = here };
}

/* A direct jump or call to another function; 0: none. */
static __u64 target_of(const struct function *function, const cs_insn *insn)
{
	const cs_x86_op *operand = &insn->detail->x86.operands[0];
	size_t i;

	for (i = 0; i < insn->detail->groups_count; i++)
		if ((insn->detail->groups[i] == CS_GRP_CALL ||
		     insn->detail->groups[i] == CS_GRP_JUMP) &&
		    insn->detail->x86.op_count == 1 && operand->type == X86_OP_IMM &&
		    (__u64)operand->imm - function->start >= function->size)
			return (__u64)operand->imm;
	return 0;
}

/* Keep a function's code, the name of each instruction, and those of the functions it calls. */
static void keep_function(struct keeping *keeping, const struct function *function,
			  unsigned char *bytes, size_t *left)
{
	const size_t wanted = function->size < FUNCTION_MOST ? function->size : FUNCTION_MOST;
	const csh handle = decoder_handle(namer_decoder(keeping->namer, function->name));
	size_t got = wanted <= *left ? namer_text(keeping->namer, function->space, function->gen,
						  function->start, bytes, wanted) : 0;
	const uint8_t *at = bytes;
	uint64_t address = function->start;
	struct range range = { .kept = NULL };
	cs_insn *insn;

	if (!got)
		return;
	*left -= got;
	known_add_text(keeping->known, function->path, function->offset, bytes, got);
	insn = handle ? xneed(cs_malloc(handle)) : NULL;
	while (got) {
		const __u64 here = address;

		/* Without debug information, all of it has the function's name. */
		if (!range.kept || function->name->nr_frames)
			name_next(keeping, function, &range, here);
		if (insn && cs_disasm_iter(handle, &at, &got, &address, insn)) {
			const __u64 target = target_of(function, insn);

			if (target)
				keep_code(keeping, function->space, function->gen, target);
			continue;
		}
		/* A byte that begins no instruction, or nothing decodes it. */
		at++;
		got--;
		address++;
	}
	end_range(keeping, function, &range, address);
	if (insn)
		cs_free(insn, 1);
}

static void keep_functions(struct keeping *keeping)
{
	unsigned char *bytes = xmalloc(FUNCTION_MOST);
	size_t nr, i, left = CODE_MOST;
	struct function *functions = list_functions(keeping, &nr);
	__u64 all = 0, kept = 0;

	for (i = 0; i < nr; i++)
		all += functions[i].cost;
	for (i = 0; i < nr && left && (!i || kept * 100 < all * CODE_PERCENT); i++) {
		keep_function(keeping, &functions[i], bytes, &left);
		kept += functions[i].cost;
	}
	free(functions);
	free(bytes);
}

struct known *namer_keep(struct namer *namer)
{
	struct keeping keeping = { .namer = namer, .known = known_new() };
	const struct intervals *intervals = namer->profile->intervals;
	size_t i;

	self_find(&keeping.own, &namer->profile->snap);
	keep_functions(&keeping);
	keep_rows(&keeping, &namer->profile->snap);
	/* Rows of an interval may have been evicted since. */
	for (i = 0; intervals && i < intervals->nr; i++)
		keep_rows(&keeping, &intervals->at[i].came);
	keep_codes(&keeping);
	name_cache_free(&keeping.seen_code);
	name_cache_free(&keeping.seen_data);
	name_cache_free(&keeping.seen_width);
	free(keeping.codes);
	self_free(&keeping.own);
	known_sort(keeping.known);
	return keeping.known;
}
