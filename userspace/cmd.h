/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of memlat-ctl, each in a file of its own. */
#ifndef MEMLAT_CMD_H
#define MEMLAT_CMD_H

#include "cli/open.h"
#include "cli/options.h"

extern const struct cmd cmd_start, cmd_stop, cmd_status, cmd_buckets, cmd_lines, cmd_c2c,
			cmd_record, cmd_dcache, cmd_doctor, cmd_diff, cmd_bus, cmd_prefetch,
			cmd_stride, cmd_try, cmd_advise, cmd_report, cmd_import, cmd_export,
			cmd_annotate, cmd_fleet, cmd_top;

#endif
