// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads fight over data whose name is not that of a variable: members of a class that the
 * standard library wraps, a variable on a thread's stack, and what the vDSO reads. Each is written
 * as C++ programs write it, and inlined.
 */
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <sched.h>
#include <sys/time.h>
#include <time.h>

extern "C" {
#include "team.h"
#include "workload.h"
}

#define APART	__attribute__((noinline))

static constexpr auto relaxed = std::memory_order_relaxed;

/* A member of the standard library's type in a class of one's own. */
struct Metrics {
	char before[64];
	std::atomic<unsigned long> polls{0}, wakes{0};

	APART void poll(uint64_t n)
	{
		while (n--)
			polls.store(polls.load(relaxed) + 1, relaxed);
	}
	APART void wake(uint64_t n)
	{
		while (n--)
			wakes.store(wakes.load(relaxed) + 1, relaxed);
	}
};

/* The members of a member, by operators, and of 32 bits. */
class Channel {
	struct Ends {
		std::atomic<int> head{0}, tail{0};
	};
	char before[64];
	Ends ends;
public:
	APART void send(uint64_t n)
	{
		while (n--)
			++ends.head;
	}
	APART void receive(uint64_t n)
	{
		while (n--)
			ends.tail += 2;
	}
};

/* Elements of an array of the library's, in a template. */
template <typename T> class Slots {
	char before[64];
	std::array<std::atomic<T>, 8> slots{};
public:
	APART void raise(uint64_t n)
	{
		while (n--) {
			T old = slots[2].load();

			while (!slots[2].compare_exchange_weak(old, old + 1))
				;
		}
	}
	APART void lower(uint64_t n)
	{
		while (n--)
			slots[3].fetch_sub(1);
	}
};

/* What the threads use, of whichever mode. */
static Metrics *metrics;
static Channel *channel;
static Slots<long> *slots;
static double *sums;
static struct tally *tally;

static void on_metrics(int index, uint64_t n)
{
	index ? metrics->wake(n) : metrics->poll(n);
}

static void on_channel(int index, uint64_t n)
{
	index ? channel->receive(n) : channel->send(n);
}

static void on_slots(int index, uint64_t n)
{
	index ? slots->lower(n) : slots->raise(n);
}

APART static void add_up(volatile double *sum, uint64_t n)
{
	while (n--)
		*sum = *sum + 1;
}

static void on_sums(int index, uint64_t n)
{
	add_up(&sums[index], n);
}

/* An array of a length that is known when the function runs. */
APART static double sum(const struct team *team)
{
	double parts[team->nr];

	memset(parts, 0, sizeof(parts));
	sums = parts;
	team_run(team, on_sums);
	return parts[0] + parts[1];
}

struct tally {
	long before[8];
	long seen, dropped;
};

APART static void see(volatile struct tally *at, uint64_t n)
{
	while (n--)
		at->seen = at->seen + 1;
}

APART static void drop(volatile struct tally *at, uint64_t n)
{
	while (n--)
		at->dropped = at->dropped + 1;
}

static void on_tally(int index, uint64_t n)
{
	index ? drop(tally, n) : see(tally, n);
}

APART static double count_packets(const struct team *team)
{
	alignas(64) struct tally packets = { };

	tally = &packets;
	team_run(team, on_tally);
	return (double)(packets.seen + packets.dropped);
}

struct worker {
	long hits, misses;
};

static struct worker *workers;

APART static void hit(volatile struct worker *at, uint64_t n)
{
	while (n--)
		at->hits = at->hits + 1;
}

APART static void miss(volatile struct worker *at, uint64_t n)
{
	while (n--)
		at->misses = at->misses + 1;
}

static void on_workers(int index, uint64_t n)
{
	index ? miss(&workers[2], n) : hit(&workers[1], n);
}

/* An array of structures, of which neither thread uses the first one. */
APART static double count_work(const struct team *team)
{
	alignas(64) struct worker all[4] = { };

	workers = all;
	team_run(team, on_workers);
	return (double)(all[1].hits + all[2].misses);
}

static void on_clock(int, uint64_t n)
{
	struct timespec now;

	while (n--)
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
}

static void on_seconds(int, uint64_t n)
{
	time_t now;

	while (n--)
		time(&now);
}

static void on_day(int, uint64_t n)
{
	struct timeval now;

	while (n--)
		gettimeofday(&now, NULL);
}

static const struct mode {
	const char *name;
	void (*work)(int index, uint64_t n);
	double (*owner)(const struct team *team);	/* whose stack has it */
} modes[] = {
	{ "metrics", on_metrics, NULL }, { "channel", on_channel, NULL },
	{ "slots", on_slots, NULL },
	{ "sums", NULL, sum }, { "tally", NULL, count_packets },
	{ "workers", NULL, count_work },
	{ "clock", on_clock, NULL }, { "seconds", on_seconds, NULL }, { "day", on_day, NULL },
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	double total = 0;
	struct team team = { };

	team.least = team.most = 2;
	team.iterations = 100000;

	workload_name = "named";
	team_options(&team, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv, TEAM_PAIR);
	auto m = std::make_unique<Metrics>();
	auto c = std::make_unique<Channel>();
	auto s = std::make_unique<Slots<long>>();
	metrics = m.get();
	channel = c.get();
	slots = s.get();
	for (const struct mode &mode : modes) {
		if (strcmp(mode.name, name))
			continue;
		printf("{\"mode\":\"%s\",", name);
		team_print_rest(&team);
		if (mode.work)
			team_run(&team, mode.work);
		else
			total = mode.owner(&team);
		return total < 0;
	}
	workload_usage("no such mode: '%s'", name);
}
