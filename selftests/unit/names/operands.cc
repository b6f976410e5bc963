// SPDX-License-Identifier: GPL-2.0
// Like operands.c, but in C++.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#define KEEP	__attribute__((noinline, used))

extern "C" {
void touch(void *what);
char sessions[64];
}
volatile long sink;

// What Rust's standard library wraps things in.
namespace core { namespace cell {
template <typename T> struct UnsafeCell {
	T value;
};
} }
namespace alloc { namespace sync {
template <typename T> struct ArcInner {
	long strong, weak;
	T data;
};
} }
namespace tok {

struct Metrics {
	core::cell::UnsafeCell<long> polls, wakes;
};

KEEP void wrapped(alloc::sync::ArcInner<Metrics> *metrics)
{
	metrics->strong++; // = alloc::sync::ArcInner<tok::Metrics>+0
	metrics->data.wakes.value++; // = alloc::sync::ArcInner<tok::Metrics>+24
}

} // namespace tok

namespace pool {

struct Entry {
	Entry *next;
	long key;
	long value;
};

class Base {
public:
	virtual ~Base() {}
	virtual long cost(long n);
	KEEP long common(void) { return calls += 1; } // = pool::Base+8
	long calls;
};

class Other {
public:
	virtual void other(void);
	long others;
};

class Derived : public Base, public Other {
public:
	KEEP long cost(long n) override
	{
		return calls + n * price; // = pool::Base+8|pool::Derived+8, pool::Derived+32
	}
	KEEP void other(void) override
	{
		others++; // = pool::Other+8|pool::Derived+24
	}
	long price;
};

long Base::cost(long n) { return n; }
void Other::other(void) {}

// A derived class begins in its last bytes.
struct Padded {
	Padded() : whole(0), half(0) {}
	long whole;
	int half;
};

struct Filled : Padded {
	int other;
	long last;
};

template <typename T> class Stack {
public:
	KEEP T pop(void)
	{
		return top ? items[--top] : T(); // = pool::Stack<long int>+|pool::Stack<long>+
	}
	T *items;
	long top;
};

KEEP long of_base(Derived *d)
{
	return d->calls + d->others + d->price; // = pool::Derived+8, pool::Derived+24, pool::Derived+32
}

KEEP long as_base(Base *b)
{
	return static_cast<Derived *>(b)->price; // = pool::Derived+32
}

KEEP long by_reference(const Entry &e)
{
	return e.value; // = pool::Entry+16
}

// What a library's class counts in is a member of the object that people know.
class Counter {
public:
	void add(long n)
	{
		count += n; // = pool::Shelf+16
	}
	long count;
};

struct Shelf {
	long first, second;
	Counter counter;
};

struct Holder {
	long before;
	Shelf *shelf;
};

KEEP void by_member(Holder *h, long n)
{
	h->shelf->counter.add(n); // = pool::Holder+8
}

// A union has other members at the place, but only one of them has this class.
class Meter {
public:
	void add(long n)
	{
		count += n; // = pool::Meter+0
	}
	long count;
};

struct Shown {
	long kind;
	union {
		Meter meter;
		double share;
	};
};

KEEP long by_union(Shown *s, long n)
{
	Meter *meter = &s->meter;

	touch(meter);
	for (; n; n--)
		meter->add(n);
	touch(meter);
	return s->kind; // = pool::Shown+0
}

KEEP long filled(Filled *f)
{
	return f->whole + f->half + f->other; // = pool::Filled+0|pool::Padded+0, pool::Filled+8|pool::Padded+8, pool::Filled+12
}

KEEP long virtual_call(Base *b)
{
	return b->cost(3) + b->calls; // = pool::Base+0, pool::Base+8, ?
}

KEEP long find(Entry *e, long key)
{
	for (; e; e = e->next) // = pool::Entry+0
		if (e->key == key) // = pool::Entry+8
			return e->value; // = pool::Entry+16
	throw std::out_of_range("find");
}

// The code that catches runs with other registers than the code that threw.
KEEP long caught(Entry *e, Derived *d, long key)
{
	long found = 0;

	try {
		found = find(e, key);
		e->value += found; // = pool::Entry+16
		if (found == 7)
			throw 3;
	} catch (int) {
		found = d->price; // = pool::Derived+32
	} catch (const std::exception &) {
		d->calls++; // = pool::Derived+8|pool::Base+8
		found = e->key; // = pool::Entry+8
	}
	touch(nullptr);
	return found + e->value; // = pool::Entry+16
}

KEEP long captured(Entry *e, long n)
{
	auto add = [e](long m) __attribute__((noinline)) {
		return e->value + m; // = pool::Entry+16, pool::captured::class {...}+
	};

	return add(n) + add(n + 1);
}

} // namespace pool

int main(void)
{
	pool::Derived d;
	pool::Stack<long> s = { nullptr, 0 };

	d.common();
	sink = s.pop();
	return 0;
}
