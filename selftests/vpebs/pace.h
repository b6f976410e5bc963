/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the vCPUs abreast while memory is watched. Each is a thread of the
 * host, and a busy host runs them by turns of milliseconds: tens of thousands
 * of accesses by one CPU, then as many by the other. On such a machine no
 * line would ever be shared. So a vCPU that is some instructions ahead
 * of the slowest one that runs waits for it. Knows nothing of QEMU.
 */
#ifndef VPEBS_PACE_H
#define VPEBS_PACE_H

#include <stdint.h>

/* Tells how many instructions a vCPU has run. Any thread. */
typedef uint64_t (*vp_pace_clock)(unsigned int vcpu);

/* Once, before any vCPU runs. */
void vp_pace_setup(unsigned int cpus, vp_pace_clock clock);

/* By the thread of that vCPU, now and then while it runs; may wait. */
void vp_pace(unsigned int vcpu);

/* It halts. The next call of vp_pace() joins it to those that run. */
void vp_pace_idle(unsigned int vcpu);

#endif
