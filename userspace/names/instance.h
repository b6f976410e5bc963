/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects by the accesses to them: an instruction of which the type is known says where an
 * object of that type begins, and so what every other access to it is.
 */
#ifndef MEMLAT_INSTANCE_H
#define MEMLAT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "operand.h"

/* What one access says. */
struct vote {
	__u32 space, gen;	/* whose memory; 0, 0: the kernel's */
	__u64 ip, address;
	__u64 weight;
	const struct operand *operand;	/* with a type */
	__u64 low, high;	/* what its object has to be in: a noted one, a mapping; 0, 0: anything */
	bool passing;		/* a stack, where one object follows the other all the time */
};

struct instance {
	__u32 space, gen;
	__u64 start, end;
	__u64 weight;
	const struct operand_type *type;
	size_t alike;		/* objects of this type that the process has */
	bool passing;
	bool lost;		/* something else is there as well */
	bool doubted;		/* somebody says so: only who names it himself is believed */
};

struct instances;

/*
 * A wrong name is worse than none. An object is not where its type's alignment forbids it, nor
 * outside of what it has to be in; of two that overlap, of which neither is a part of the other,
 * the lighter one is none, and within a factor of 3 both are none. An instruction of which more
 * than a twentieth was refused is taken to be of another type altogether.
 */
struct instances *instances_find(const struct vote *votes, size_t nr);
void instances_free(struct instances *instances);

/*
 * The outermost object that an address is in; NULL: none is known. Memory is freed and used again:
 * where instructions that access an address say different things nobody knows who is right of one
 * that says nothing, nor is more told of an object on a stack than who accesses it says.
 */
const struct instance *instances_at(const struct instances *instances, __u32 space, __u32 gen,
				    __u64 address);
/* Did an instruction that accesses this address say so itself? */
bool instances_by_operand(const struct instances *instances, __u32 space, __u32 gen,
			  __u64 address);

enum claim {
	CLAIM_NONE,	/* the instruction says nothing of what it accesses there */
	CLAIM_OWN,	/* it does, and is believed */
	CLAIM_REFUSED	/* it does, and what it says cannot be, or is not certain */
};

/* CLAIM_OWN: *in is the object, also where others say something else of the address. */
enum claim instances_claim(const struct instances *instances, __u32 space, __u32 gen, __u64 ip,
			   __u64 address, const struct instance **in);
#endif
