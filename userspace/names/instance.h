/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects found by the accesses to them. If the type of an instruction's operand is known, the
 * accessed address shows where an object of that type begins. That names all other accesses to it.
 */
#ifndef MEMLAT_INSTANCE_H
#define MEMLAT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "operand.h"

/* What one access says of the object that it is to. */
struct vote {
	__u64 ip, address;
	__u64 weight;
	const struct operand *operand;	/* with a type */
	__u64 low, high;	/* bounds: a noted allocation, a mapping; 0, 0: none */
	bool passing;		/* on a stack, where objects replace each other all the time */
};

struct instance {
	__u64 start, end;
	__u64 weight;
	const struct operand_type *type;
	size_t alike;		/* number of objects of this type */
	bool passing;
	bool lost;		/* another object overlaps it and is heavier, or as heavy */
	bool doubted;		/* an access contradicts: only those that show it get its name */
};

struct instances;

/* May the access of a vote that was not counted be to this object, a part of it, or around it? */
bool instance_agrees(const struct instance *in, const struct vote *vote);

/*
 * Find the objects that votes show, which are all of one process or of the kernel. A wrong name is
 * worse than none, so a vote is refused if its object would break the type's alignment or leave its
 * bounds. If two objects overlap and neither is a part of the other, the lighter one is dropped;
 * within a factor of 3 both are. If more than a twentieth of an instruction's votes are refused,
 * its type is taken to be wrong, and all are.
 */
struct instances *instances_find(const struct vote *votes, size_t nr);
void instances_free(struct instances *instances);

/*
 * The outermost object that contains an address; NULL: none is known. Memory is freed and used
 * again. So if instructions contradict each other about an address, it is NULL, because an
 * instruction without a type may have accessed either object. On a stack it is NULL unless an
 * instruction that accesses this address shows the type.
 */
const struct instance *instances_at(const struct instances *instances, __u64 address);
/* Did an instruction that accesses this address show a type? */
bool instances_by_operand(const struct instances *instances, __u64 address);

enum claim {
	CLAIM_NONE,	/* the instruction shows no type for this address */
	CLAIM_OWN,	/* it shows one, which was accepted */
	CLAIM_REFUSED	/* it shows one, which is impossible or uncertain */
};

/* With CLAIM_OWN, *in is the object, even if other instructions show another one. */
enum claim instances_claim(const struct instances *instances, __u64 ip, __u64 address,
			   const struct instance **in);
#endif
