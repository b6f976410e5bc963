/* SPDX-License-Identifier: GPL-2.0 */
/* A session as a test describes it: accesses, and the lines that they make. */
#ifndef CTL_SESSION_H
#define CTL_SESSION_H

#include "ctl_test.h"

#define LINE	0x404080ULL
#define PID	71U

#define ROWS_MAX	64

struct session {
	struct snapshot snap;		/* its rows are those below: never free it */
	struct memlat_rec_line lines[ROWS_MAX];
	struct memlat_rec_access accesses[ROWS_MAX];
	__u64 period;
};

struct use {
	__u64 addr;
	__u32 pid, tid;			/* 0: PID; a thread's CPU is tid, its node tid mod 2 */
	__u64 loads, hitm, stores, store_misses;
	__u64 store_hitm, store_fwd;	/* of the misses; the latter forwarded, modified or clean */
	__u64 rhitm, snoop, lfb, dram;	/* of the loads; the others are from L3 */
	__u64 fwd;			/* and these: forwarded, modified or clean */
	__u64 period;			/* of the session where not given */
	__u64 store_period;		/* the same as the loads' where not given */
	__u64 phys;
	__u64 ip;
	__u32 stack;
};

/* A session without accesses, which samples loads and stores on two nodes. */
void session_init(struct session *session);

/* begin(), for TEST_WITH(). */
#define SESSION_BEGIN(session)				\
	static int begin(void **state)			\
	{						\
		(void)state;				\
		session_init(&(session));		\
		return 0;				\
	}

/* Loads take 50 cycles, HITM loads and forwarded ones 300, remote HITM loads 500. */
void session_use(struct session *session, struct use use);

#define USE(session, ...) session_use(session, (struct use){ __VA_ARGS__ })

/* A new session with only these uses: USES(&s, { .addr = LINE, .loads = 1 }, { ... }) */
#define USES(session, ...) session_of(session, (const struct use[]){ __VA_ARGS__, { 0 } })
void session_of(struct session *session, const struct use *uses);

/* Return the line at an address, and make it if there is none. */
struct memlat_rec_line *session_line(struct session *session, __u64 addr, __u32 pid, __u64 phys);

#endif
