// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/memlat: ioctl and read(). What each does is told in uapi/linux/memlat.h.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "chardev.h"
#include "session.h"
#include "snapshot.h"

/* One snapshot per open file, read from its start to its end. */
struct reader {
	struct mutex lock;	/* the members below: threads may share a file */
	void *stream;
	size_t size;
	size_t at;
};

static int memlat_open(struct inode *inode, struct file *file)
{
	struct reader *r;
	int ret;

	if (!perfmon_capable())
		return -EPERM;
	ret = security_locked_down(LOCKDOWN_PERF);
	if (ret)
		return ret;
	r = kzalloc_obj(*r);
	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	file->private_data = r;
	return nonseekable_open(inode, file);
}

static int memlat_release(struct inode *inode, struct file *file)
{
	struct reader *r = file->private_data;

	kvfree(r->stream);
	kfree(r);
	return 0;
}

static int take_snapshot(struct reader *r)
{
	size_t size;
	void *stream = memlat_snapshot_take(&size);

	if (!stream)
		return -ENOMEM;
	kvfree(r->stream);
	r->stream = stream;
	r->size = size;
	r->at = 0;
	return 0;
}

/* As many whole records as fit. */
static size_t whole_records(const struct reader *r, size_t room)
{
	size_t n = 0;

	while (r->at + n < r->size) {
		const struct memlat_rec_header *h = r->stream + r->at + n;

		if (h->size > room - n)
			break;
		n += h->size;
	}
	return n;
}

static ssize_t read_records(struct reader *r, char __user *buf, size_t count)
{
	size_t n;

	if (r->at == r->size)
		return 0;
	n = whole_records(r, count);
	if (!n)
		return -EINVAL;
	if (copy_to_user(buf, r->stream + r->at, n))
		return -EFAULT;
	r->at += n;
	return n;
}

static ssize_t memlat_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct reader *r = file->private_data;
	ssize_t ret;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	ret = r->stream ? 0 : take_snapshot(r);
	if (!ret)
		ret = read_records(r, buf, count);
	mutex_unlock(&r->lock);
	return ret;
}

/* The size that the caller's structure has, from its first member. */
static int get_size(void __user *arg, u32 first, u32 *size)
{
	if (get_user(*size, (u32 __user *)arg))
		return -EFAULT;
	/* A page is more than any structure will ever need. */
	if (*size < first || *size > PAGE_SIZE)
		return *size < first ? -EINVAL : -E2BIG;
	return 0;
}

/*
 * Copy out what the caller knows of a structure. A caller that knows more
 * must have left the rest zero, and finds in the size member what it got.
 */
static long put_struct(void __user *arg, void *from, u32 have)
{
	u32 size;
	int ret = get_size(arg, have, &size);

	if (ret)
		return ret;
	if (size > have) {
		ret = check_zeroed_user(arg + have, size - have);
		if (ret <= 0)
			return ret ?: -E2BIG;
	}
	return copy_to_user(arg, from, have) ? -EFAULT : 0;
}

static long ioctl_query(void __user *arg)
{
	struct memlat_query q;

	memlat_session_query(&q);
	return put_struct(arg, &q, sizeof(q));
}

static long ioctl_status(void __user *arg)
{
	struct memlat_totals *totals = kvmalloc_obj(*totals);
	struct memlat_status status;

	if (!totals)
		return -ENOMEM;
	memlat_session_status(&status, totals);
	kvfree(totals);
	return put_struct(arg, &status, sizeof(status));
}

static long ioctl_start(void __user *arg)
{
	struct memlat_config config;
	u32 size;
	long ret;

	ret = get_size(arg, sizeof(config), &size);
	if (!ret)
		ret = copy_struct_from_user(&config, sizeof(config), arg, size);
	if (ret)
		return ret;
	ret = memlat_session_start(&config);
	if (ret && put_user(config.reason, &((struct memlat_config __user *)arg)->reason))
		return -EFAULT;
	return ret;
}

static long ioctl_snapshot(struct reader *r)
{
	long ret;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	ret = take_snapshot(r);
	mutex_unlock(&r->lock);
	return ret;
}

/*
 * The number of an ioctl holds the size of its structure, which may be another
 * version's: compare all but that. The structure says its size itself.
 */
#define WITHOUT_SIZE(cmd)	((cmd) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT))

static long memlat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *p = (void __user *)arg;

	switch (WITHOUT_SIZE(cmd)) {
	case WITHOUT_SIZE(MEMLAT_IOC_QUERY):
		return ioctl_query(p);
	case WITHOUT_SIZE(MEMLAT_IOC_START):
		return ioctl_start(p);
	case WITHOUT_SIZE(MEMLAT_IOC_STOP):
		return memlat_session_stop();
	case WITHOUT_SIZE(MEMLAT_IOC_RESET):
		memlat_session_reset();
		return 0;
	case WITHOUT_SIZE(MEMLAT_IOC_STATUS):
		return ioctl_status(p);
	case WITHOUT_SIZE(MEMLAT_IOC_SNAPSHOT):
		return ioctl_snapshot(file->private_data);
	}
	return -ENOTTY;
}

static const struct file_operations memlat_fops = {
	.owner = THIS_MODULE,
	.open = memlat_open,
	.release = memlat_release,
	.read = memlat_read,
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
 * memlat_chardev_init - make /dev/memlat
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_chardev_init(void)
{
	return misc_register(&memlat_device);
}

/**
 * memlat_chardev_exit - take /dev/memlat away; no file is open
 */
void memlat_chardev_exit(void)
{
	misc_deregister(&memlat_device);
}
