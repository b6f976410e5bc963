// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/memlat: ioctl, read() and poll(). uapi/linux/memlat.h says what each does.
 *
 * Privileges are checked when the device is opened, as perf does. If a privileged process passes
 * the descriptor on, by fork, exec or a socket, it works for its new owner. That is how to give an
 * unprivileged program this one right; O_CLOEXEC avoids it.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "hw/pmu.h"
#include "memlat.h"

static_assert(offsetof(struct memlat_config, store_period) == MEMLAT_CONFIG_SIZE_V1);
static_assert(offsetof(struct memlat_query, flags) == MEMLAT_QUERY_SIZE_V1);
static_assert(offsetof(struct memlat_status, ended) == MEMLAT_STATUS_SIZE_V1);

#define INTERVAL_MIN	10		/* ms */
#define INTERVAL_MAX	3600000

/* An open file has one snapshot at a time, which is read from its start to its end. */
struct reader {
	struct mutex lock;	/* protects what follows: threads may share a file */
	struct memlat_copy *copy;	/* the snapshot; NULL: none yet, or all was read */
	bool taken;		/* there was a snapshot */
	u32 tables;		/* as in memlat_snapshot_take() */
	unsigned long interval;	/* jiffies; 0: none */
	unsigned long since;	/* when the interval began: at the last snapshot */
	u32 generation;		/* the session's generation that this reader knows */
	wait_queue_head_t wait;
	struct timer_list timer;
};

static void memlat_interval_passed(struct timer_list *timer)
{
	struct reader *r = container_of(timer, struct reader, timer);

	wake_up_interruptible(&r->wait);
}

static int memlat_open(struct inode *inode, struct file *file)
{
	struct reader *r;
	int ret;

	if (!perfmon_capable())
		return -EPERM;
	ret = security_locked_down(LOCKDOWN_PERF) ?: MEMLAT_PERF_ALLOWED();
	if (ret)
		return ret;
	/* Accounted, like its struct file: only RLIMIT_NOFILE and pids bound how many are open. */
	r = kzalloc_obj(*r, GFP_KERNEL_ACCOUNT);
	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	init_waitqueue_head(&r->wait);
	timer_setup(&r->timer, memlat_interval_passed, 0);
	r->tables = MEMLAT_SNAPSHOT_TABLES;
	r->generation = memlat_session_generation();
	file->private_data = r;
	return stream_open(inode, file);
}

static int memlat_release(struct inode *inode, struct file *file)
{
	struct reader *r = file->private_data;

	memlat_session_closed(r);
	memlat_prefetch_closed(r);
	timer_delete_sync(&r->timer);
	memlat_copy_free(r->copy);
	kfree(r);
	return 0;
}

static int memlat_take_snapshot(struct reader *r)
{
	/* Read it first: the snapshot may miss a change made meanwhile, so report that again. */
	const u32 generation = memlat_session_generation();

	/* Free the old snapshot first, because there may be no room for two. */
	memlat_copy_free(r->copy);
	r->copy = memlat_snapshot_take(r->tables);
	r->taken = r->copy;
	if (!r->copy)
		return -ENOMEM;
	r->since = jiffies;
	r->generation = generation;
	return 0;
}

/* Copy out as many whole records as fit. */
static ssize_t memlat_read_records(struct reader *r, char __user *buf, size_t count)
{
	size_t done, n;

	if (!r->copy || !count)
		return 0;
	for (done = 0; r->copy; done += n) {
		const void *from = memlat_copy_records(r->copy, count - done, &n);

		if (!n)
			break;
		if (copy_to_user(buf + done, from, n))
			return done ?: -EFAULT;
		if (memlat_copy_pass(r->copy, n))
			continue;
		/* Free it now: files may stay open for long. */
		memlat_copy_free(r->copy);
		r->copy = NULL;
	}
	return done ?: -EINVAL;
}

static ssize_t memlat_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct reader *r = file->private_data;
	ssize_t ret;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	ret = r->taken ? 0 : memlat_take_snapshot(r);
	if (!ret)
		ret = memlat_read_records(r, buf, count);
	mutex_unlock(&r->lock);
	return ret;
}

static __poll_t memlat_poll(struct file *file, poll_table *wait)
{
	struct reader *r = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &memlat_session_changed, wait);
	poll_wait(file, &r->wait, wait);

	mutex_lock(&r->lock);
	if (r->generation != memlat_session_generation())
		events |= EPOLLPRI;
	if (r->copy)
		events |= EPOLLIN | EPOLLRDNORM;
	if (r->interval) {
		const unsigned long due = r->since + r->interval;

		/* The timer runs once, and only if a reader polls. */
		if (time_after_eq(jiffies, due))
			events |= EPOLLIN | EPOLLRDNORM;
		else
			mod_timer(&r->timer, due);
	}
	mutex_unlock(&r->lock);
	return events;
}

/*
 * Read the size of the caller's structure from its first member. If the caller's structure is
 * larger than the module's, the rest of it has to be zero.
 */
static int memlat_get_size(void __user *arg, u32 first, u32 have, u32 *size)
{
	int ret;

	if (get_user(*size, (u32 __user *)arg))
		return -EFAULT;
	if (*size < first)
		return -EINVAL;
	/* No structure will ever need more than a page. */
	if (*size > PAGE_SIZE)
		return -E2BIG;
	if (*size <= have)
		return 0;
	ret = check_zeroed_user(arg + have, *size - have);
	if (ret <= 0)
		return ret ?: -E2BIG;
	return 0;
}

/*
 * Copy out as much of a structure as the caller knows. Its first member is set to the number of
 * bytes that are valid.
 */
static long memlat_put_struct(void __user *arg, u32 size, void *from, u32 have)
{
	*(u32 *)from = min(size, have);
	return copy_to_user(arg, from, min(size, have)) ? -EFAULT : 0;
}

static long memlat_ioctl_query(void __user *arg)
{
	struct memlat_query q;
	u32 size;
	int ret = memlat_get_size(arg, MEMLAT_QUERY_SIZE_V1, sizeof(q), &size);

	if (ret)
		return ret;
	memlat_config_query(&q);
	return memlat_put_struct(arg, size, &q, sizeof(q));
}

static long memlat_ioctl_status(struct reader *r, void __user *arg)
{
	struct memlat_totals *totals;
	struct memlat_status status;
	u32 generation, size;
	int ret = memlat_get_size(arg, MEMLAT_STATUS_SIZE_V1, sizeof(status), &size);

	if (ret)
		return ret;
	totals = kvmalloc_obj(*totals, MEMLAT_GFP);
	if (!totals)
		return -ENOMEM;
	generation = memlat_session_generation();
	memlat_session_status(&status, totals);
	kvfree(totals);
	ret = memlat_put_struct(arg, size, &status, sizeof(status));
	if (ret)
		return ret;
	mutex_lock(&r->lock);
	r->generation = generation;
	mutex_unlock(&r->lock);
	return 0;
}

static long memlat_ioctl_start(struct reader *r, void __user *arg)
{
	struct memlat_config *config;
	u32 size;
	long ret = memlat_get_size(arg, MEMLAT_CONFIG_SIZE_V1, sizeof(*config), &size);

	if (ret)
		return ret;
	config = kzalloc_obj(*config, GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	ret = copy_struct_from_user(config, sizeof(*config), arg, size);
	if (!ret) {
		ret = memlat_session_start(config, r);
		if (ret && put_user(config->reason,
				    &((struct memlat_config __user *)arg)->reason))
			ret = -EFAULT;
	}
	kfree(config);
	return ret;
}

static long memlat_ioctl_reader(struct reader *r, void __user *arg)
{
	struct memlat_reader how;
	u32 size;
	long ret = memlat_get_size(arg, sizeof(how), sizeof(how), &size);

	if (!ret)
		ret = copy_struct_from_user(&how, sizeof(how), arg, size);
	if (ret)
		return ret;
	if ((how.flags & ~MEMLAT_READER_PACKED) || (how.tables & ~MEMLAT_SNAPSHOT_TABLES) ||
	    (how.interval_ms &&
	     (how.interval_ms < INTERVAL_MIN || how.interval_ms > INTERVAL_MAX)))
		return -EINVAL;
	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	r->tables = how.tables ?: MEMLAT_SNAPSHOT_TABLES;
	if (how.flags & MEMLAT_READER_PACKED)
		r->tables |= MEMLAT_SNAPSHOT_PACKED;
	r->interval = msecs_to_jiffies(how.interval_ms);
	/* If there is no snapshot yet, the first interval begins now. */
	if (!r->taken)
		r->since = jiffies;
	mutex_unlock(&r->lock);
	/* Wake those who wait: they use the old interval. */
	wake_up_interruptible(&r->wait);
	return 0;
}

/* The bytes that are copied out; the list of CPUs, which follows, is input only. */
#define PREFETCH_OUT	offsetof(struct memlat_prefetch, cpus)

static long memlat_ioctl_prefetch(struct reader *r, void __user *arg)
{
	struct memlat_prefetch *p;
	u32 size;
	long ret = memlat_get_size(arg, sizeof(*p), sizeof(*p), &size);

	if (ret)
		return ret;
	p = kzalloc_obj(*p, GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	ret = copy_struct_from_user(p, sizeof(*p), arg, size);
	if (!ret) {
		ret = memlat_prefetch(p, r);
		p->size = min_t(u32, size, sizeof(*p));
		if (copy_to_user(arg, p, PREFETCH_OUT))
			ret = -EFAULT;
	}
	kfree(p);
	return ret;
}

static long memlat_ioctl_snapshot(struct reader *r)
{
	long ret;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	ret = memlat_take_snapshot(r);
	mutex_unlock(&r->lock);
	return ret;
}

/*
 * The number of an ioctl contains the size of its structure, which differs between versions. So
 * compare the rest only; the structure itself has its size.
 */
#define WITHOUT_SIZE(cmd)	((cmd) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT))

static long memlat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *p = (void __user *)arg;

	switch (WITHOUT_SIZE(cmd)) {
	case WITHOUT_SIZE(MEMLAT_IOC_QUERY):
		return memlat_ioctl_query(p);
	case WITHOUT_SIZE(MEMLAT_IOC_START):
		return memlat_ioctl_start(file->private_data, p);
	case WITHOUT_SIZE(MEMLAT_IOC_STOP):
		return memlat_session_stop();
	case WITHOUT_SIZE(MEMLAT_IOC_RESET):
		memlat_session_reset();
		return 0;
	case WITHOUT_SIZE(MEMLAT_IOC_STATUS):
		return memlat_ioctl_status(file->private_data, p);
	case WITHOUT_SIZE(MEMLAT_IOC_SNAPSHOT):
		return memlat_ioctl_snapshot(file->private_data);
	case WITHOUT_SIZE(MEMLAT_IOC_READER):
		return memlat_ioctl_reader(file->private_data, p);
	case WITHOUT_SIZE(MEMLAT_IOC_PREFETCH):
		return memlat_ioctl_prefetch(file->private_data, p);
	}
	return -ENOTTY;
}

static const struct file_operations memlat_fops = {
	.owner = THIS_MODULE,
	.open = memlat_open,
	.release = memlat_release,
	.read = memlat_read,
	.poll = memlat_poll,
	.unlocked_ioctl = memlat_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice memlat_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "memlat",
	.mode = 0600,
	.fops = &memlat_fops,
};

/**
 * memlat_chardev_init - create /dev/memlat
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_chardev_init(void)
{
	return misc_register(&memlat_device);
}

/**
 * memlat_chardev_exit - remove /dev/memlat; no file is open
 */
void memlat_chardev_exit(void)
{
	misc_deregister(&memlat_device);
}
