/* SPDX-License-Identifier: GPL-2.0 */
/* What lives.c and lives_json.c share. */
#ifndef VPEBS_LIVES_INTERNAL_H
#define VPEBS_LIVES_INTERNAL_H

#include "lives.h"

#define LIVES_MAX_BYTES	(6ULL << 30)
#define LIVES_TOP_LINES	512		/* in the JSON */
#define LIVES_NOBODY	UINT32_MAX

/* From the most useful one. LIVES_CLASSES: none of them. */
enum lives_class { LIVES_ESSENTIAL, LIVES_OVERWRITTEN, LIVES_USELESS, LIVES_CLASSES };

enum lives_began { BEGAN_COLD, BEGAN_EVICTED, BEGAN_HELD, BEGAN_SHARING };

/* A core and a line that it has, or had. Bytes are bits. */
struct vp_life {
	uint64_t pending;		/* others wrote them; constant during a life */
	uint64_t unseen;		/* this core wrote them, and no other has asked for the line since */
	uint64_t loaded;		/* in this life, and not stored to before */
	uint64_t touched;		/* loaded at any time of it */
	uint64_t stored;
	uint64_t waited;		/* cycles */
	uint32_t loads;			/* that waited */
	uint32_t reader;		/* the thread that made the miss */
	uint32_t writer;		/* the thread that had the line as its own before */
	uint8_t cpu;
	uint8_t began;			/* enum lives_began */
	uint8_t next_began;
	bool alive;
	uint64_t vline;			/* virtual address; 0: no access yet */
	struct lives_line *line;
	struct vp_life *next;		/* of other cores */
};

/* By class: lives (or upgrades), their loads, and what these waited. */
struct lives_pair {
	uint32_t reader, writer;
	uint64_t life[LIVES_CLASSES][3];
	uint64_t upgrade[LIVES_CLASSES][3];
	struct lives_pair *next;
};

struct lives_use {
	uint32_t thread;
	uint64_t vline;
	uint64_t loaded, stored, essential;
	struct lives_use *next;
};

struct lives_line {
	uint64_t line;			/* physical */
	uint64_t vline;			/* of a program if any has it, else the kernel's */
	uint32_t owner;			/* the thread that asked for ownership last */
	uint64_t began[BEGAN_SHARING][3];
	struct vp_life *lives;
	struct lives_pair *pairs;
	struct lives_use *uses;
};

struct lives_thread {
	struct vp_thread who;
	struct vp_thread_time time[2];	/* kernel, user */
};

struct chunk {
	struct chunk *next;
	size_t used;
	_Alignas(16) char bytes[];
};

struct vp_lives {
	unsigned int cpus;
	void (*who)(unsigned int cpu, struct vp_thread *to);
	FILE *trace;

	struct chunk *chunks;
	uint64_t bytes;
	struct lives_line **index;	/* open addressing */
	size_t mask, used;

	struct lives_thread *thread;
	uint32_t threads;
	uint32_t last[VP_MAX_CPUS];	/* the latest thread of each CPU */

	enum lives_class ended;		/* by the request that is under way */
	uint32_t ended_reader;

	uint64_t unkept;
	uint64_t began[BEGAN_SHARING][3];
	uint64_t sharing[LIVES_CLASSES][3];
	uint64_t upgrade[LIVES_CLASSES][3];
};

#endif
