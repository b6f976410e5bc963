// SPDX-License-Identifier: GPL-2.0
/* A C++ program. The test of the namer knows what each of its addresses is called. */
#include <array>
#include <atomic>
#include <functional>
#include <unistd.h>

#include "here.h"

namespace shop {

struct Empty {};

struct Base {
	virtual ~Base() {}
	long base_hits = 0;
};

struct Second {
	long second_hits = 0;
};

class Till : public Empty, public Base, public Second {
public:
	std::atomic<long> sales{0};
	std::array<long, 4> coins{};
	long own = 0;
	static long shared;

	template <typename T> __attribute__((noinline)) T add(T amount)
	{
		HERE("add");
		return static_cast<T>(sales += amount);
	}
};

long Till::shared = 3;
Till tills[4];

template <int N> struct Ring {
	static inline long slots[N];
};

namespace {
long secret[2];
}

static inline __attribute__((always_inline)) void twice(Till &till)
{
	HERE("twice");
	till.own++;
}

__attribute__((noinline)) long count(Till &till)
{
	static long calls[2];

	twice(till);
	HERE("count");
	THERE("calls", calls[1]);
	return ++calls[1];
}

}

/* A template of the standard library that the program itself specializes. */
template <> struct std::hash<shop::Till> {
	__attribute__((always_inline)) size_t operator()(const shop::Till &till) const
	{
		HERE("hash");
		return static_cast<size_t>(till.own);
	}
};

__attribute__((noinline)) size_t look(const shop::Till &till)
{
	return std::hash<shop::Till>{}(till);
}

int main()
{
	using namespace shop;

	tills[0].add(1L);
	count(tills[1]);
	look(tills[1]);
	THERE("base_hits", tills[2].base_hits);
	THERE("second_hits", tills[2].second_hits);
	THERE("sales", tills[3].sales);
	THERE("coins", tills[1].coins[2]);
	THERE("own", tills[0].own);
	THERE("vptr", tills[1]);
	THERE("static", Till::shared);
	THERE("ring", Ring<5>::slots[4]);
	THERE("secret", secret[1]);
	puts("end 0 0");
	fflush(stdout);
	pause();
	return 0;
}
