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
};

struct instance {
	__u32 space, gen;
	__u64 start, end;
	__u64 weight;
	const struct operand_type *type;
	size_t alike;		/* objects of this type that the process has */
	bool lost;		/* something else is there as well */
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

/* The outermost object that an address is in; NULL: none is known. */
const struct instance *instances_at(const struct instances *instances, __u32 space, __u32 gen,
				    __u64 address);
/* Did an instruction that accesses this address say so itself? */
bool instances_by_operand(const struct instances *instances, __u32 space, __u32 gen,
			  __u64 address);
#endif
