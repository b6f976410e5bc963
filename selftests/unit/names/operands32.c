// SPDX-License-Identifier: GPL-2.0
/*
 * As operands.c, for i386: its addresses have 4 bytes, arguments are on the stack, registers have
 * other numbers in DWARF, and a call may set %ebx. It needs no library, which few machines have.
 */
#define KEEP	__attribute__((noinline, used))

struct session {
	unsigned int sent;
	unsigned int received;
	char peer[48];
};

struct node {
	struct node *next;
	long value;
	struct session *of;
	unsigned long long when;
};

struct point {
	int x, y, z;
};

struct cloud {
	long nr;
	struct point *points;
	struct point near[4];
};

struct session sessions[4];
int calls;

KEEP struct session *find_session(long key)
{
	calls++;
	return &sessions[key & 3];
}

KEEP void touch(struct session *s)
{
	s->received++; /* = session+4 */
}

KEEP void kept_over_call(struct session *s)
{
	touch(s);
	s->sent = 1; /* = session+0 */
}

KEEP void spilled(struct session *a, struct session *b, struct session *c, struct session *d)
{
	struct session *g = find_session(7);
	struct session *h = find_session(8);

	touch(a);
	touch(h);
	a->sent = 1; /* = session+0 */
	b->received = 2; /* = session+4 */
	c->sent = 3; /* = session+0 */
	d->received = 4; /* = session+4 */
	g->sent = 7; /* = session+0 */
	h->received = 8; /* = session+4 */
}

KEEP void returned(long key)
{
	find_session(key)->received = 9; /* = session+4 */
}

KEEP long walk(struct node *p)
{
	long sum = 0;

	while (p) {
		sum += p->value; /* = node+4 */
		p = p->next; /* = node+0 */
	}
	return sum;
}

KEEP long chain(struct node *p)
{
	return (long)p->next->next->of->received; /* = node+0, node+8, session+4 */
}

KEEP long array(struct point *points, long nr)
{
	long sum = 0, i;

	for (i = 0; i < nr; i++)
		sum += points[i].y; /* = point+4 */
	return sum;
}

KEEP long through(struct cloud *cloud, long i)
{
	return cloud->points[i].z + cloud->near[2].x; /* = cloud+4, point+8, cloud+32 */
}

/* The number has two halves, and only the first one has its address. */
KEEP unsigned long long wide(struct node *p)
{
	return p->when; /* = node+12, node+16 */
}

static inline unsigned int sent_of(const struct session *s)
{
	return s->sent; /* = session+0, node+8 */
}

KEEP unsigned int inlined(struct node *n)
{
	return sent_of(n->of); /* = node+8, session+0 */
}

KEEP void swapped(struct session *a, struct session *b, long turns)
{
	while (turns--) {
		struct session *c = a;

		a = b;
		b = c;
		touch(a);
	}
	a->sent = 5; /* = session+0 */
	b->received = 6; /* = session+4 */
}

KEEP __attribute__((regparm(3))) void by_registers(struct node *n, struct session *s, long value)
{
	n->value = value; /* = node+4 */
	touch(s);
	n->of = s; /* = node+8 */
	s->sent = 4; /* = session+0 */
}

/* Any name would be wrong: the bytes are no session's. */
KEEP void as_bytes(struct session *s, unsigned long at)
{
	char *bytes = (char *)(unsigned long)at;

	touch(s);
	bytes[3] = 1; /* = ? */
}

KEEP void start(void)
{
	calls = 0;
}
