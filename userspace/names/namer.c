// SPDX-License-Identifier: GPL-2.0
/* Name each address once, and keep the name. */
#include "namer.h"

#include <stdlib.h>

#include "../profile/known.h"
#include "../util/xalloc.h"
#include "kernel_core.h"
#include "naming.h"
#include "operand_code.h"

static const char *const kind_names[DATA_KINDS] = {
	[DATA_UNKNOWN]	= "unknown",
	[DATA_VARIABLE]	= "variable",
	[DATA_TLS]	= "tls",
	[DATA_STACK]	= "stack",
	[DATA_HEAP]	= "heap",
	[DATA_ANON]	= "anon",
	[DATA_FILE]	= "file",
	[DATA_SHARED]	= "shared",
	[DATA_KERNEL]	= "kernel",
};

const char *data_kind_name(enum data_kind kind)
{
	return kind_names[(unsigned int)kind < DATA_KINDS ? kind : DATA_UNKNOWN];
}

const char *data_how_name(enum data_how how)
{
	static const char *const names[DATA_HOWS] = {
		[DATA_SYMBOL]		= "variable",
		[DATA_NOTED]		= "noted",
		[DATA_BY_OPERAND]	= "operand",
		[DATA_JOINED]		= "joined",
		[DATA_SLAB]		= "slab",
		[DATA_VMALLOC]		= "vmalloc",
		[DATA_BPF_MAP]		= "bpf_map",
	};

	return names[(unsigned int)how < DATA_HOWS ? how : DATA_NO_NAME];
}

struct namer *namer_new(const struct profile *profile, const char *debug)
{
	struct namer *namer = xcalloc(1, sizeof(*namer));

	elf_version(EV_CURRENT);
	namer->profile = profile;
	namer->debug = debug ? xstrdup(debug) : NULL;
	namer->files = (struct elf_files){
		.pool = &namer->pool,
		.profile = profile,
		.debug = namer->debug,
	};
	return namer;
}

struct decoder *namer_decoder(struct namer *namer, const struct code_name *code)
{
	struct decoder **decoder = &namer->decoder[code->i386];

	if (!*decoder)
		*decoder = decoder_new(code->i386 ? 4 : 8);
	return *decoder;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	elf_files_free(&namer->files);
	name_cache_free(&namer->code);
	name_cache_free(&namer->data);
	name_cache_free(&namer->accesses);
	name_cache_free(&namer->refused);
	name_cache_free(&namer->tls);
	name_cache_free(&namer->operands);
	decoder_free(namer->decoder[false]);
	decoder_free(namer->decoder[true]);
	kernel_core_close(namer->core);
	objects_free(namer->objects);
	kernel_names_free(namer->own_kernel);
	pool_free(&namer->pool);
	free(namer->debug);
	free(namer);
}

const char *namer_before(struct namer *namer, __u32 space, __u32 gen, __u64 address)
{
	struct place place = { .address = address };

	if (!kernel_address(address))
		place.image = history_find(namer->profile->history, space, gen);
	return place_before(namer, &place);
}

void namer_is_recording(struct namer *namer, const char *kept)
{
	namer->files.recording = true;
	namer->files.kept = kept;
}

size_t namer_bytes(const struct namer *namer)
{
	return namer->pool.bytes;
}

/* How much a name tells. */
static unsigned int tells_of_code(const struct code_name *code)
{
	return 2 * (code->function != NULL) + (code->nr_frames || code->line);
}

/*
 * Take the name that the profile keeps. If that does not tell all, the file may be here, or a debug
 * file, which tells more.
 */
static void name_code(struct namer *namer, struct name_cache_key key, struct code_name *code)
{
	struct code_name kept;
	const bool known = known_find_code(namer->profile->known, key.space, key.gen, key.address,
					   &kept);
	struct place place;

	if (known && tells_of_code(&kept) == 3) {
		*code = kept;
		return;
	}
	namer->named = known && kept.function;
	place = code_place(namer, key.space, key.gen, key.address);
	code_fill(namer, &place, code);
	namer->named = false;
	if (known && tells_of_code(&kept) >= tells_of_code(code))
		*code = kept;
}

const struct code_name *namer_code(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	struct name_cache_key key = { .address = ip, .space = space, .gen = gen };
	const struct code_name *known;
	struct code_name *code;

	/* The kernel's code is the same in all processes. */
	if (kernel_address(ip))
		key.space = key.gen = 0;
	known = name_cache_find(&namer->code, key);
	if (known)
		return known;
	code = pool_take(&namer->pool, sizeof(*code));
	name_code(namer, key, code);
	name_cache_keep(&namer->code, key, code);
	return code;
}

const struct code_name *namer_sampled(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	const bool after = namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER;

	return namer_code(namer, space, gen, after && ip ? ip - 1 : ip);
}

static unsigned int tells_of_data(const struct data_name *data)
{
	return (data->kind != DATA_UNKNOWN) + 2 * (data->how != DATA_NO_NAME) +
	       4 * (data->type != NULL) + 8 * (data->field != NULL);
}

/* As name_code(). The better one of a kept name and of what the files tell; kept may be NULL. */
static const struct data_name *better(const struct data_name *kept, const struct data_name *found)
{
	return kept && tells_of_data(kept) >= tells_of_data(found) ? kept : found;
}

const struct data_name *namer_data(struct namer *namer, __u32 space, __u32 gen, __u64 address,
				   __u32 tid)
{
	struct name_cache_key key = { .address = address, .space = space, .gen = gen, .tid = tid };
	const struct data_name *known, *any;
	struct data_name *data;
	struct place place;

	if (kernel_address(address))
		key.space = key.gen = key.tid = 0;
	known = name_cache_find(&namer->data, key);
	if (known)
		return known;
	/* What is no thread's own has one name for all threads. */
	any = name_cache_find(&namer->data, (struct name_cache_key){ .address = address, .space = key.space,
								     .gen = key.gen });
	if (any && (any->kind == DATA_VARIABLE || any->kind == DATA_FILE))
		return any;
	known = known_find_data(namer->profile->known, space, gen, address, tid, 0);
	if (!known || !known->type) {
		data = pool_take(&namer->pool, sizeof(*data));
		namer->named = known && known->how != DATA_NO_NAME;
		place = data_place(namer, space, gen, address);
		data_fill(namer, &place, tid, data);
		namer->named = false;
		known = better(known, data);
	}
	name_cache_keep(&namer->data, key, known);
	return known;
}

const struct data_name *namer_access(struct namer *namer, const struct memlat_rec_access *access)
{
	struct name_cache_key key = {
		.address = access->addr, .space = access->tgid, .gen = access->gen,
		.tid = access->tid,
	};
	struct name_cache *memo = &namer->refused;
	const struct data_name *known, *kept;
	const struct instance *in;
	struct data_name *data;
	struct place place;

	kept = kernel_address(access->addr) ? NULL :
	       known_find_data(namer->profile->known, access->tgid, access->gen, access->addr,
			       access->tid, access->ip);
	if (kept && kept->type)
		return kept;
	place = data_place(namer, access->tgid, access->gen, access->addr);
	if (kernel_address(access->addr) || !instance_of_access(namer, access, &place, &in))
		return namer_data(namer, access->tgid, access->gen, access->addr, access->tid);
	if (in) {
		/* An object is of one process, so it takes the place of the process in the key. */
		memo = &namer->accesses;
		key.space = (__u32)(uintptr_t)in;
		key.gen = (__u32)((__u64)(uintptr_t)in >> 32);
	}
	known = name_cache_find(memo, key);
	if (known)
		return better(kept, known);
	data = pool_take(&namer->pool, sizeof(*data));
	data_fill_access(namer, &place, access->tid, in, data);
	name_cache_keep(memo, key, data);
	return better(kept, data);
}
