// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing as C++ has it: two members of an object, each an instance of
 * a template, counted through an accessor that the compiler inlines into the
 * functions that call it.
 */
#include <cstdint>
#include <cinttypes>
#include <cstdio>

extern "C" {
#include "team.h"
#include "workload.h"
}

namespace shop {

template <typename T> class counter {
public:
	inline __attribute__((always_inline)) void add(T amount)
	{
		value = value + amount;
	}

	T get() const { return value; }

private:
	volatile T value = 0;
};

class alignas(WORKLOAD_LINE) till {
public:
	__attribute__((noinline)) void sell(uint64_t times)
	{
		while (times--)
			sold.add(1);
	}

	__attribute__((noinline)) void take_back(uint64_t times)
	{
		while (times--)
			returned.add(1);
	}

	bool counted(uint64_t times) const
	{
		return sold.get() == times && returned.get() == times;
	}

private:
	counter<uint64_t> sold;
	counter<uint64_t> returned;
};

till front;

} // namespace shop

static void work(int index, uint64_t iterations)
{
	if (index)
		shop::front.take_back(iterations);
	else
		shop::front.sell(iterations);
}

int main(int argc, char **argv)
{
	struct team team = {};

	workload_name = "cpp_inline";
	team.iterations = 500000;
	team.least = team.most = 2;
	team_options(&team, argc, argv, TEAM_PAIR);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"shop::front\","
	       "\"fields\":[\".sold.value\",\".returned.value\"],\"slots\":[0,1],"
	       "\"functions\":[\"shop::till::sell(unsigned long)\",\"shop::till::take_back(unsigned long)\"],"
	       "\"inlined\":\"add\",\"verdict\":\"false_sharing\",",
	       reinterpret_cast<uintptr_t>(&shop::front));
	team_print_rest(&team);
	team_run(&team, work);
	if (!shop::front.counted(team.iterations))
		workload_fail("the counts are wrong");
	return 0;
}
