// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/device.h"
#include "profile/account.h"
#include "util/plain.h"
#include "util/text.h"

#define SHOWN_MAX	120
#define DAYS_MAX	366

static void misused(struct cmd_args *args)
{
	args->status = MISUSED;
}

static int refuse(struct cmd_args *args, int option)
{
	char shown[SHOWN_MAX], letter[3] = { '-', (char)optopt, '\0' };
	const char *word = args->argv[optind - 1];
	const char *name = args->cmd->name;

	/* For letters the word may be another one: they come in clusters. */
	if (optopt && optopt < OPT_HELP)
		word = letter;
	text_escape(shown, sizeof(shown), word);
	if (option == ':')
		out_complain("%s: %s needs a value\n  memlat-ctl %s --help",
			     name, shown, name);
	else if (optopt && word != letter)
		out_complain("%s: %s: this option takes no value\n  memlat-ctl %s --help",
			     name, shown, name);
	else
		out_complain("%s: %s: no such option\n  memlat-ctl %s --help",
			     name, shown, name);
	misused(args);
	return OPT_STOP;
}

int cmd_next(struct cmd_args *args)
{
	int option;

	opterr = 0;
	option = getopt_long(args->argc, args->argv, args->letters,
			     args->options, NULL);
	switch (option) {
	case -1:
		break;
	case 'h':
	case OPT_HELP:
		fputs(args->cmd->help, stdout);
		args->status = DONE;
		return OPT_STOP;
	case '?':
	case ':':
		return refuse(args, option);
	default:
		return option;
	}
	if (optind < args->argc && !args->rest) {
		char shown[SHOWN_MAX];

		out_complain("%s: %s: no argument is expected here\n  memlat-ctl %s --help",
			     args->cmd->name,
			     text_escape(shown, sizeof(shown), args->argv[optind]),
			     args->cmd->name);
		misused(args);
		return OPT_STOP;
	}
	return OPT_END;
}

bool cmd_no_options(const struct cmd *cmd, int argc, char **argv,
		    enum exit_status *status)
{
	static const struct option options[] = { CMD_HELP_OPTION, { 0 } };
	struct cmd_args args = {
		.cmd = cmd, .argc = argc, .argv = argv,
		.letters = ":h", .options = options,
	};

	if (cmd_next(&args) == OPT_END)
		return true;
	*status = args.status;
	return false;
}

void cmd_complain_value(const char *option, const char *text,
			enum number_result why, const char *right)
{
	char shown[SHOWN_MAX];

	text_escape(shown, sizeof(shown), text);
	out_complain("%s %s: %s; give %s", option, *shown ? shown : "\"\"",
		     why == NUMBER_RANGE ? "out of range" :
					   "not a whole decimal number",
		     right);
}

bool cmd_take_duration(const char *text, __u64 *ns)
{
	const __u64 most = DAYS_MAX * 86400ULL;
	size_t whole = strspn(text, "0123456789"), decimals = 0, i;
	enum number_result why = NUMBER_NOT;
	char shown[SHOWN_MAX];
	__u64 ms = 0;

	if (text[whole] == '.')
		decimals = strspn(text + whole + 1, "0123456789");
	if (whole && (text[whole] != '.' || (decimals && decimals <= 3)) &&
	    !text[whole + (text[whole] == '.') + decimals]) {
		why = NUMBER_RANGE;
		for (i = 0; i < whole && ms <= most; i++)
			ms = ms * 10 + (__u64)(text[i] - '0');
		if (ms <= most) {
			for (i = 0; i < 3; i++)
				ms = ms * 10 + (i < decimals ? (__u64)(text[whole + 1 + i] - '0') : 0);
			if (ms) {
				*ns = ms * 1000000;
				return true;
			}
		}
	}
	if (why == NUMBER_RANGE) {
		cmd_complain_value("--duration", text, NUMBER_RANGE,
				   "0.001 to 31622400 (seconds)");
		return false;
	}
	text_escape(shown, sizeof(shown), text);
	out_complain("--duration %s: not a number of seconds; give one such as 10 or 0.5",
		     *shown ? shown : "\"\"");
	return false;
}

static void complain_open(int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		out_complain("the memlat module is not loaded (no %s)\n"
			     "  insmod memlat.ko      or: modprobe memlat\n"
			     "  if that says 'No such device': dmesg | tail      says what this machine lacks",
			     MEMLAT_DEVICE);
		break;
	case EACCES:
	case EPERM:
		if (!geteuid()) {
			out_complain("%s is closed even to root here: a container without CAP_PERFMON, or kernel lockdown\n"
				     "  cat /sys/kernel/security/lockdown", MEMLAT_DEVICE);
			break;
		}
		out_complain("%s needs root or CAP_PERFMON\n  sudo memlat-ctl ...",
			     MEMLAT_DEVICE);
		break;
	default:
		out_complain("cannot open %s: %s", MEMLAT_DEVICE,
			     strerror(error));
	}
}

int cmd_open(struct memlat_query *query)
{
	int fd = memlat_device_open(), ret;

	if (fd < 0) {
		complain_open(-fd);
		return -1;
	}
	ret = memlat_device_query(fd, query);
	if (!ret && query->abi_version == MEMLAT_ABI_VERSION) {
		plain_name(query->model_name, sizeof(query->model_name));
		plain_name(query->model_title, sizeof(query->model_title));
		return fd;
	}
	close(fd);
	if (ret == -ENOTTY)
		out_complain("%s is not memlat's device\n  ls -l %s",
			     MEMLAT_DEVICE, MEMLAT_DEVICE);
	else if (ret)
		cmd_complain_device("ask what the module is", -ret);
	else
		out_complain("the module speaks ABI version %u, this memlat-ctl %u\n"
			     "  use the memlat-ctl that was built with the module",
			     query->abi_version, MEMLAT_ABI_VERSION);
	return -1;
}

void cmd_complain_device(const char *what, int error)
{
	out_complain("cannot %s: %s\n  dmesg | tail      may say more", what,
		     strerror(error));
}

bool cmd_snapshot_of(struct snapshot *snap, int fd,
		     const struct memlat_query *query, __u32 tables)
{
	const char *broken;
	int ret;

	if (!query->cores)
		tables &= ~(1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE);
	/* They came with the shortest period of stores. */
	if (query->store_period_min && tables & 1U << MEMLAT_REC_BUCKETS)
		tables |= 1U << MEMLAT_REC_PARTS | 1U << MEMLAT_REC_STORES;
	if (!(query->flags & MEMLAT_F_STRIDE))
		tables &= ~(1U << MEMLAT_REC_STRIDE);
	snapshot_init(snap);
	snap->tables = tables;
	ret = snapshot_read(snap, fd);
	if (ret) {
		if (ret == -EBADMSG)
			out_complain("the snapshot is not as it should be: %s\n"
				     "  use the memlat-ctl that was built with the module",
				     snap->error);
		else
			cmd_complain_device("take a snapshot", -ret);
		snapshot_free(snap);
		return false;
	}
	broken = account_snapshot_broken(snap);
	if (broken)
		out_complain("warning: the account does not hold: %s\n"
			     "  this is a defect of memlat; please report it",
			     broken);
	return true;
}

bool cmd_snapshot(struct snapshot *snap, __u32 tables)
{
	struct memlat_query query;
	int fd = cmd_open(&query);
	bool done;

	if (fd < 0)
		return false;
	done = cmd_snapshot_of(snap, fd, &query, tables);
	close(fd);
	return done;
}
