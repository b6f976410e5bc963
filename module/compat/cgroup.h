/* SPDX-License-Identifier: GPL-2.0 */
/* <linux/cgroup.h>, and what it lacks before 5.14. */
#ifndef MEMLAT_COMPAT_CGROUP_H
#define MEMLAT_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/nsproxy.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#if !defined(MEMLAT_HAS_CGROUP_GET_FROM_ID) && defined(CONFIG_CGROUPS)

/*
 * As of 6.1: only a cgroup in the caller's namespace is found. Without kernfs' tree of numbers,
 * which is not exported, every cgroup of the namespace is looked at.
 */
static inline struct cgroup *cgroup_get_from_id(u64 id)
{
	struct cgroup_subsys_state *css, *root;
	struct cgroup *found = NULL;

	rcu_read_lock();
	root = &current->nsproxy->cgroup_ns->root_cset->dfl_cgrp->self;
	css_for_each_descendant_pre(css, root) {
		struct cgroup *one = container_of(css, struct cgroup, self);

		if (cgroup_id(one) != id)
			continue;
		/* Its directory is gone as soon as it is not online any more. */
		if (css->flags & CSS_ONLINE && cgroup_tryget(one))
			found = one;
		break;
	}
	rcu_read_unlock();
	return found ?: ERR_PTR(-ENOENT);
}

#endif

#endif /* MEMLAT_COMPAT_CGROUP_H */
