// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose operands test_ctl_operand.c names. A comment "= type+offset" says what a line
 * accesses through registers. "= ?" says that any name would be wrong, so there may be none.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEEP	__attribute__((noinline, used))
#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

struct session {
	uint64_t sent;
	uint64_t received;
	char peer[48];
};

struct node {
	struct node *next;
	long value;
	struct session *of;
};

struct list {
	struct list *next, *prev;
};

struct item {
	long id;
	struct list link;
	long weight;
};

struct point {
	int x, y, z;
};

struct cloud {
	long nr;
	struct point *points;
	struct point near[4];
	int marks[16];
};

struct header {
	uint32_t length;
	uint32_t kind;
	uint64_t at;
};

struct record {
	uint64_t key;
	uint64_t found;
};

struct shape {
	int kind;
	union {
		struct node *node;
		struct session *session;
	} of;
	long last;
};

struct flags {
	unsigned int ready : 1, done : 1;
	unsigned int nr;
	long rest;
};

struct table {
	long (*look)(struct table *table, long key);
	long hits;
};

struct blob {
	long size;
	unsigned char bytes[];
};

struct session *current;
struct session sessions[8];
struct node *volatile nodes;
volatile long sink;
extern KEEP void touch(void *what);
extern KEEP struct session *find_session(long key);
extern KEEP void *find_any(long key);

KEEP void argument(struct session *s)
{
	s->received++; /* = session+8 */
}

KEEP long second_argument(long key, struct session *s)
{
	sink = key;
	return (long)s->sent; /* = session+0 */
}

KEEP void kept_over_call(struct session *s)
{
	touch(s);
	s->sent = 1; /* = session+0 */
}

KEEP void spilled(struct session *a, struct session *b, struct session *c, struct session *d,
		  struct session *e, struct session *f)
{
	struct session *g = find_session(7);
	struct session *h = find_session(8);

	touch(a);
	touch(h);
	a->sent = 1; /* = session+0 */
	b->received = 2; /* = session+8 */
	c->sent = 3; /* = session+0 */
	d->received = 4; /* = session+8 */
	e->sent = 5; /* = session+0 */
	f->received = 6; /* = session+8 */
	g->sent = 7; /* = session+0 */
	h->received = 8; /* = session+8 */
}

KEEP void returned(long key)
{
	find_session(key)->received = 9; /* = session+8 */
}

KEEP void from_void(long key)
{
	struct session *s = find_any(key);

	s->sent = 2; /* = session+0 */
}

KEEP long walk(struct node *p)
{
	long sum = 0;

	while (p) {
		sum += p->value; /* = node+8 */
		p = p->next; /* = node+0 */
	}
	return sum;
}

KEEP long chain(struct node *p)
{
	return (long)p->next->next->of->received; /* = node+0, node+16, session+8 */
}

KEEP long array(struct point *points, long nr)
{
	long sum = 0, i;

	for (i = 0; i < nr; i++)
		sum += points[i].y; /* = point+4 */
	return sum;
}

KEEP long one_of_array(struct point *points, long i)
{
	return points[i].z; /* = point+8 */
}

KEEP long backwards(struct item *items, long nr)
{
	struct item *p = items + nr;
	long sum = 0;

	while (p-- > items)
		sum += p->weight * p->id; /* = item+24, item+0 */
	return sum;
}

KEEP long pointer_to_pointer(struct session **all, long nr)
{
	long sum = 0, i;

	for (i = 0; i < nr; i++)
		sum += (long)all[i]->sent; /* = session+0 */
	return sum;
}

KEEP void out_parameter(struct node **to, struct node *new)
{
	new->next = *to; /* = node+0 */
	*to = new;
	(*to)->value = 5; /* = node+8 */
}

static inline uint64_t sent_of(const struct session *s)
{
	return s->sent; /* = session+0, node+16 */
}

KEEP uint64_t inlined(struct node *n)
{
	return sent_of(n->of) + (uint64_t)n->value; /* = node+16, node+8, session+0 */
}

KEEP long member_array(struct cloud *c, int i)
{
	return c->marks[i]; /* = cloud+64 */
}

KEEP long nested(struct cloud *c)
{
	return c->near[2].z + c->points->x; /* = cloud+48, cloud+8, point+0 */
}

KEEP long nested_array(struct cloud *c, long i)
{
	return c->near[i].y; /* = cloud+20 */
}

KEEP long through_member(struct cloud *c)
{
	long sum = 0, i;

	for (i = 0; i < c->nr; i++) /* = cloud+0, cloud+8 */
		sum += c->points[i].x; /* = cloud+8, point+0 */
	return sum;
}

KEEP long with_container(struct list *head)
{
	struct list *at;
	long sum = 0;

	for (at = head->next; at != head; at = at->next) { /* = list+0, item+8 */
		struct item *item = container_of(at, struct item, link);

		sum += item->weight; /* = item+24 */
	}
	return sum;
}

/* The payload behind a header is not a header. */
KEEP uint64_t behind_header(struct header *h)
{
	struct record *r = (struct record *)(h + 1);

	return r->key + r->found; /* = record+0, record+8 */
}

KEEP uint64_t at_offset(struct header *h)
{
	return ((struct record *)((char *)h + h->at))->found; /* = header+8, ? */
}

KEEP uint64_t many_behind(struct header *h, long nr)
{
	struct record *r = (struct record *)(h + 1);
	uint64_t sum = 0;

	for (; nr--; r++)
		sum += r->key; /* = record+0 */
	return sum;
}

KEEP uint32_t bytes_of(const struct header *h)
{
	const unsigned char *p = (const unsigned char *)h;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(*h); i++)
		sum = sum * 31 + p[i]; /* = header+, ? */
	return sum;
}

KEEP long cast(void *what)
{
	const struct node *n = what;

	return n->value; /* = node+8 */
}

KEEP long one_or_other(void *what, int kind)
{
	if (kind)
		return ((struct node *)what)->value; /* = node+8, ? */
	return (long)((struct session *)what)->sent; /* = session+0, ? */
}

KEEP long of_union(const struct shape *s)
{
	return s->kind ? s->of.node->value : /* = shape+0, shape+8, node+8, ? */
	       (long)s->of.session->sent; /* = shape+8, session+0, ? */
}

KEEP long volatile_one(volatile struct session *s)
{
	do
		sink = (long)s->received; /* = session+8 */
	while (sink);
	return (long)s->sent; /* = session+0 */
}

KEEP void tail_call(struct node *n)
{
	n->value = 3; /* = node+8 */
	touch(n);
}

KEEP long tail_of_table(struct table *t, long key)
{
	t->hits++; /* = table+8 */
	return t->look(t, key); /* = table+0 */
}

KEEP void bits(struct flags *f)
{
	f->done = 1; /* = flags+0 */
	f->rest = f->nr; /* = flags+4, flags+8 */
}

KEEP uint64_t by_global(void)
{
	return current->received; /* = session+8 */
}

KEEP uint64_t of_global_array(long i)
{
	return sessions[i].received; /* = session+8 */
}

KEEP long volatile_head(void)
{
	return nodes->of->sent ? nodes->value : 0; /* = node+16, session+0, node+8 */
}

KEEP long on_stack(long key)
{
	struct session s = { .sent = (uint64_t)key };

	touch(&s);
	return (long)s.received; /* = session+8 */
}

KEEP long chosen(struct node *a, struct node *b, long which)
{
	const struct node *n = which ? a : b;

	touch(NULL);
	return n->value; /* = node+8 */
}

/* Which of two types this is becomes known only when the program runs. */
KEEP long chosen_type(struct node *a, struct session *b, long which)
{
	void *p = which ? (void *)a : (void *)b;

	touch(NULL);
	return ((long *)p)[1]; /* = ? */
}

KEEP long by_switch(struct node *n, int what)
{
	switch (what) {
	case 0:
		sink = 1;
		return n->value; /* = node+8 */
	case 1:
		n = n->next; /* = node+0 */
		/* fall through */
	case 2:
		n->value++; /* = node+8 */
		break;
	case 3:
		touch(n);
		return (long)n->of->sent; /* = node+16, session+0 */
	case 4:
		n->of = NULL; /* = node+16 */
		break;
	case 5:
		return (long)n->next->of; /* = node+0, node+16 */
	default:
		touch(NULL);
	}
	return n->value; /* = node+8 */
}

KEEP long computed_goto(const unsigned char *code, struct node *n, struct session *s)
{
	static const void *const labels[] = { &&end, &&node, &&swap, &&session };
	void *p = n;

	goto *labels[*code++];
swap:
	p = s;
	goto *labels[*code++];
node:
	sink += ((long *)p)[1]; /* = ? */
	goto *labels[*code++];
session:
	s->sent++; /* = session+0 */
	goto *labels[*code++];
end:
	return 0;
}

KEEP void difference(const double *a, double *b, long nr)
{
	long i;

	for (i = 0; i < nr; i++)
		b[i] = a[i]; /* = ? */
}

KEEP void copy(struct session *to, const struct session *from)
{
	*to = *from; /* = session+0, session+8, session+16, session+32, session+48, session+24, session+40, session+56 */
}

KEEP long flexible(struct blob *b, long i)
{
	return b->bytes[i] + b->size; /* = blob+8, blob+0 */
}

/* Half of a pointer is not a pointer. */
KEEP long half(struct session *s)
{
	return ((struct point *)(uintptr_t)(uint32_t)(uintptr_t)s)->y; /* = point+4, ? */
}

/* A call returns something else than what the register had before. */
KEEP long after_call(struct node *n, long key)
{
	n->of->sent = 1; /* = node+16, session+0 */
	return ((long *)find_any(key))[1]; /* = ? */
}

KEEP long realloced(struct node *n)
{
	struct session *s;

	n->value = 1; /* = node+8 */
	s = realloc(n, sizeof(*s));
	s->received = 2; /* = session+8 */
	return (long)s->sent; /* = session+0 */
}

KEEP long recursive(struct node *n)
{
	if (!n)
		return 0;
	return recursive(n->next) + n->value; /* = node+0, node+8 */
}

KEEP void atomic(struct session *s, uint64_t old)
{
	__atomic_fetch_add(&s->sent, 1, __ATOMIC_SEQ_CST); /* = session+0 */
	__sync_bool_compare_and_swap(&s->received, old, 5); /* = session+8 */
}

int main(void)
{
	return 0;
}
