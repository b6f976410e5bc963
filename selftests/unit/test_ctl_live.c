// SPDX-License-Identifier: GPL-2.0
/* What top keeps from interval to interval, with a device that is none. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ctl_test.h"

#include "host/device.h"
#include "host/privilege.h"
#include "names/naming.h"
#include "top/live.h"

static __u64 samples;	/* of the only thread, which is in this process */

/* These take the place of memlat-ctl's own. */
int memlat_device_open(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int memlat_device_query(int fd, struct memlat_query *query)
{
	*query = (struct memlat_query){ .abi_version = MEMLAT_ABI_VERSION, .flags = ~0U };
	return 0;
}

int memlat_device_status(int fd, struct memlat_status *status)
{
	*status = (struct memlat_status){ .state = MEMLAT_STATE_RUNNING, .started_ns = 5000000000 };
	return 0;
}

void privilege_drop(enum privilege_need need)
{
}

int snapshot_read(struct snapshot *snap, int fd)
{
	struct memlat_rec_thread thread = {
		.tid = (__u32)getpid(), .tgid = (__u32)getpid(), .comm = "test",
	};
	static struct stream stream;
	struct memlat_rec_status *head = (struct memlat_rec_status *)stream.bytes;

	samples += 100;
	thread.samples = samples;
	thread.cost = 1000 * samples;
	stream_begin(&stream);
	head->status.threads = 1;
	head->status.threads_evicted = head->status.samples - samples;
	stream_add_buckets(&stream);
	stream_add_raw(&stream);
	stream_add(&stream, MEMLAT_REC_THREAD, &thread, sizeof(thread));
	stream_add_end(&stream);
	stream_read(&stream, snap);
	return 0;
}

static const char *cgroup(const struct live *live)
{
	return cgroups_find(&live->profile.cgroups, NULL, (__u32)getpid(), 0);
}

/* A process can move to another cgroup, and its number can become that of another process. */
TEST(cgroups_are_looked_up_again)
{
	struct live live = { .device = -1, .writer = -1, .interval_ms = 100 };
	const __u32 gone = 1U << 30;

	assert_int_equal(live_begin(&live), LIVE_GOOD);
	assert_int_equal(live_take(&live), LIVE_GOOD);
	if (!cgroup(&live)) {
		live_end(&live);
		skip();
	}
	cgroups_set(&live.profile.cgroups, (__u32)getpid(), "/before");
	cgroups_set(&live.profile.cgroups, gone, "/gone");
	assert_int_equal(live_take(&live), LIVE_GOOD);
	assert_string_equal(cgroup(&live), "/before");
	/* Now it is time to find all names anew. */
	live.renew_ns = 1;
	live.names_cost_ns = 0;
	assert_int_equal(live_take(&live), LIVE_GOOD);
	assert_string_not_equal(cgroup(&live), "/before");
	assert_null(cgroups_find(&live.profile.cgroups, NULL, gone, 0));
	live_end(&live);
}

/* Programs that allocate all the time have new addresses in every interval. */
TEST(names_do_not_take_all_memory)
{
	struct live live = { .device = -1, .writer = -1, .interval_ms = 100 };
	const size_t many = 256UL << 20;

	assert_int_equal(live_begin(&live), LIVE_GOOD);
	assert_int_equal(live_take(&live), LIVE_GOOD);
	pool_take(&live.namer->pool, many);
	live.renew_ns = ~0ULL;
	live.names_cost_ns = 0;
	assert_int_equal(live_take(&live), LIVE_GOOD);
	assert_true(namer_bytes(live.namer) < many);
	live_end(&live);
}

/* The message has the reason, and not what another call left in errno. */
TEST(no_profile_can_be_written)
{
	struct live live = { .device = -1, .writer = -EMFILE };
	char said[256];

	errno = ENOENT;
	assert_false(live_write(&live, "nowhere", said));
	assert_string_equal(said, "no profile can be written: Too many open files");
}
