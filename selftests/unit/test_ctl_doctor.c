// SPDX-License-Identifier: GPL-2.0
/* All conditions that doctor knows, in each state, and what it reads about a machine. */
#include <errno.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_view.h"

#include "analysis/doctor.h"
#include "views/views.h"

#define EVERYTHING	(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_SYS_MODULE) | \
			 CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_SYSLOG))

/* A machine on which nothing prevents a session. */
static struct doctor_facts ready(void)
{
	struct doctor_facts facts = {
		.has_cpu = true,
		.cpu = { .intel = true, .family = 6, .model = 0x55, .stepping = 4 },
		.cpu_name = "Intel(R) Xeon(R) Gold", .pebs = true, .pdcm = true,
		.loaded = true, .version = "0.1.0",
		.query = { .abi_version = MEMLAT_ABI_VERSION, .model_title = "Skylake-SP",
			   .memory_default = 64 << 20, .cpu_memory = 800592 },
		.watchdog = WATCHDOG_OFF, .meltdown = "Mitigation: PTI", .lockdown = LOCKDOWN_NONE,
		.capabilities = EVERYTHING, .kernel_names = true, .debug = "/usr/lib/debug",
		.heap_library = "/usr/lib/memlat/libmemlat-heap.so",
	};

	return facts;
}

static struct doctor_facts not_loaded(void)
{
	struct doctor_facts facts = ready();

	facts.loaded = false;
	facts.device_error = ENOENT;
	return facts;
}

static struct doctor_check checks[DOCTOR_CHECKS];
static size_t nr;

static const struct doctor_check *check_of(const char *key)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(checks[i].key, key))
			return &checks[i];
	fail_msg("there is no condition '%s'", key);
	return NULL;
}

static const struct doctor_check *judged(const struct doctor_facts *facts, const char *key)
{
	nr = doctor_judge(facts, checks);
	return check_of(key);
}

static void finds(const struct doctor_facts *facts, const char *key, const char *words)
{
	says(judged(facts, key)->found, words);
}

/*
 * With these facts, one condition has this state and says these words. All others are ok, and the
 * verdict follows.
 */
static void only(const struct doctor_facts *facts, const char *key, enum doctor_state state,
		 const char *words, const char *type)
{
	const struct doctor_check *check;
	size_t i;

	nr = doctor_judge(facts, checks);
	assert_in_range(nr, 1, DOCTOR_CHECKS);
	check = check_of(key);
	assert_int_equal(check->state, state);
	says(check->found, words);
	if (type)
		assert_string_equal(check->type, type);
	else
		assert_null(check->type);
	for (i = 0; i < nr; i++)
		if (&checks[i] != check && checks[i].state != DOCTOR_OK)
			fail_msg("%s: %s", checks[i].key, checks[i].found);
	assert_int_equal(doctor_verdict(checks, nr), check->needed ? state : DOCTOR_OK);
}

TEST(test_ready)
{
	struct doctor_facts facts = ready();

	only(&facts, "cpu", DOCTOR_OK, "Skylake-SP", NULL);
	only(&facts, "module", DOCTOR_OK, "0.1.0", NULL);
	only(&facts, "kpti", DOCTOR_OK, "on;", NULL);
	facts.running = true;
	only(&facts, "module", DOCTOR_OK, "a session runs", NULL);
}

TEST(test_cpu)
{
	struct doctor_facts facts = not_loaded();

	facts.loaded = true;	/* so that the module is not in the way too */
	facts.device_error = EPERM;
	facts.capabilities = 0;
	assert_int_equal(judged(&facts, "cpu")->state, DOCTOR_OK);
	facts.cpu.model = 0x57;
	assert_int_equal(judged(&facts, "cpu")->state, DOCTOR_NO);
	assert_non_null(strstr(check_of("cpu")->found, "Knights Landing"));
	facts.cpu.model = 0xee;
	finds(&facts, "cpu", "not in memlat's table");
	facts.cpu = (struct cpu_identity){ .intel = true, .family = 6, .model = 0x2d,
					   .stepping = 7, .microcode = 0x70b };
	finds(&facts, "cpu", "microcode 0x70b");
	facts.cpu.microcode++;
	assert_int_equal(judged(&facts, "cpu")->state, DOCTOR_OK);
	facts.cpu.intel = false;
	finds(&facts, "cpu", "not an Intel CPU");
	assert_int_equal(doctor_verdict(checks, nr), DOCTOR_NO);
	facts.has_cpu = false;
	assert_int_equal(judged(&facts, "cpu")->state, DOCTOR_NO);
}

TEST(test_errata)
{
	struct doctor_facts facts = ready();

	only(&facts, "errata", DOCTOR_OK, "none that memlat knows", NULL);
	facts.cpu.model = 0x2d;
	facts.cpu.stepping = 7;
	only(&facts, "errata", DOCTOR_OK, "sources behind L2 are unreliable", NULL);
	only(&facts, "errata", DOCTOR_OK, "(BT241)", NULL);
	/* The client of that generation has a row of the same name, and no such erratum. */
	facts.cpu.model = 0x2a;
	only(&facts, "errata", DOCTOR_OK, "none that memlat knows", NULL);
	/* All rows of a hybrid machine, and more than one erratum. */
	facts.cpu.model = 0x9a;
	only(&facts, "errata", DOCTOR_OK, "(ADL038)", NULL);
	facts.cpu.model = 0x4f;
	only(&facts, "errata", DOCTOR_OK, "(BDM100, BDM35, BDE70); ", NULL);
	only(&facts, "errata", DOCTOR_OK, "(BDM69)", NULL);
	assert_false(check_of("errata")->needed);
}

TEST(test_module)
{
	struct doctor_facts facts = not_loaded();

	only(&facts, "module", DOCTOR_FIX, "not loaded", "insmod memlat.ko");
	facts.installed = true;
	only(&facts, "module", DOCTOR_FIX, "not loaded", "modprobe memlat");
	facts = ready();
	facts.query.abi_version++;
	only(&facts, "module", DOCTOR_FIX, "ABI version", "rmmod memlat; insmod memlat.ko");
}

TEST(test_pebs)
{
	struct doctor_facts facts = not_loaded();

	facts.pebs = false;
	finds(&facts, "pebs", "firmware");
	facts.hypervisor = true;
	finds(&facts, "pebs", "on the host");
	assert_int_equal(doctor_verdict(checks, nr), DOCTOR_NO);
	facts.pebs = true;
	strcpy(facts.refusal, "records without address");
	finds(&facts, "pebs", "records without address");
	assert_int_equal(doctor_verdict(checks, nr), DOCTOR_NO);
	/* An old line of the log, from before the module was loaded successfully. */
	facts = ready();
	strcpy(facts.refusal, "records without address");
	only(&facts, "pebs", DOCTOR_OK, "found it", NULL);
}

TEST(test_in_the_way)
{
	struct doctor_facts facts = ready();

	facts.watchdog = WATCHDOG_ON;
	only(&facts, "watchdog", DOCTOR_FIX, "counter on every CPU", "sysctl kernel.nmi_watchdog=0");
	facts.watchdog = WATCHDOG_BUDDY;
	only(&facts, "watchdog", DOCTOR_OK, "holds no counter", NULL);
	facts.watchdog = WATCHDOG_BUDDY_OFF;
	only(&facts, "watchdog", DOCTOR_OK, "can be on", "sysctl kernel.nmi_watchdog=1");
	facts.watchdog = WATCHDOG_OFF;
	only(&facts, "watchdog", DOCTOR_OK, "would hold a counter (perf)", NULL);
	facts.watchdog = WATCHDOG_UNKNOWN;
	only(&facts, "watchdog", DOCTOR_OK, "has none", NULL);
	facts = ready();
	facts.nr_holders = 1;
	facts.holders[0] = (struct holder){ .pid = 42, .events = 3, .name = "perf" };
	only(&facts, "perf", DOCTOR_FIX, "perf (pid 42) has", NULL);
	facts.nr_holders = DOCTOR_HOLDERS + 1;
	only(&facts, "perf", DOCTOR_FIX, "and others have", NULL);
	/* The CPUs have no counter then. */
	facts.running = true;
	only(&facts, "perf", DOCTOR_OK, "memlat has the PMU: perf gets EBUSY for hardware events",
	     NULL);
	facts.query.traits |= MEMLAT_TRAIT_UNRESERVED;
	only(&facts, "perf", DOCTOR_OK,
	     "memlat has the PMU: perf opens hardware events, but none is counted (\"not counted\")",
	     NULL);
	facts.query.traits &= ~MEMLAT_TRAIT_UNRESERVED;
	facts = ready();
	strcpy(facts.firmware, "MSR 38d is 330");
	only(&facts, "firmware", DOCTOR_OK, "counters on when it booted the kernel (MSR 38d is 330)", NULL);
	assert_false(check_of("firmware")->needed);
	facts = ready();
	facts.running = true;
	facts.cpus_still = 2;
	only(&facts, "counters", DOCTOR_FIX, "on 2 CPUs nothing is counted", "dmesg | tail");
	facts = ready();
	facts.kvm = true;
	only(&facts, "kvm", DOCTOR_OK, "a CPU that runs a guest is not sampled", NULL);
	facts.kvm_users = 2;
	only(&facts, "kvm", DOCTOR_OK, "2 users of kvm_intel", NULL);
	facts.vmm = "vboxdrv";
	only(&facts, "kvm", DOCTOR_FIX, "when vboxdrv enters a guest", NULL);
}

TEST(test_allowed)
{
	struct doctor_facts facts = ready();

	facts.capabilities = 0;
	only(&facts, "rights", DOCTOR_FIX, "CAP_PERFMON", "sudo memlat-ctl ...");
	facts.capabilities = CAPABILITY(38);
	only(&facts, "rights", DOCTOR_OK, "may", NULL);
	facts.device_error = EACCES;
	only(&facts, "rights", DOCTOR_FIX, "does not open", "sudo memlat-ctl ...");
	facts.device_error = EPERM;
	only(&facts, "rights", DOCTOR_FIX, "a security module",
	     "cat /sys/kernel/security/lsm; dmesg | tail");
	/* The mode of a file keeps nobody out who has this one. */
	facts.capabilities |= CAPABILITY(CAP_DAC_OVERRIDE);
	facts.device_error = EACCES;
	only(&facts, "rights", DOCTOR_FIX, "a security module",
	     "cat /sys/kernel/security/lsm; dmesg | tail");
	facts = not_loaded();
	facts.capabilities = CAPABILITY(38);
	nr = doctor_judge(&facts, checks);
	assert_string_equal(check_of("rights")->type, "sudo insmod memlat.ko");
	facts = ready();
	facts.lockdown = LOCKDOWN_INTEGRITY;
	only(&facts, "lockdown", DOCTOR_OK, "does not keep", NULL);
	facts.lockdown = LOCKDOWN_CONFIDENTIALITY;
	only(&facts, "lockdown", DOCTOR_NO, "confidentiality", NULL);
	facts = not_loaded();
	facts.signed_only = true;
	assert_int_equal(judged(&facts, "lockdown")->state, DOCTOR_FIX);
	facts.signed_only = false;
	facts.lockdown = LOCKDOWN_INTEGRITY;
	assert_int_equal(judged(&facts, "lockdown")->state, DOCTOR_FIX);
}

/* What record would choose, and why. */
TEST(test_engine)
{
	struct doctor_facts facts = not_loaded();
	const struct doctor_check *check;
	static const struct {
		int paranoid;
		__u64 capabilities;
		enum doctor_state state;
		const char *words;
	} cases[] = {
		{ 4, EVERYTHING, DOCTOR_OK, "by perf_event_open()" },
		{ 3, 0, DOCTOR_FIX, "kernel.perf_event_paranoid is 3" },
		{ 3, CAPABILITY(CAP_PERFMON), DOCTOR_FIX, "kernel.perf_event_paranoid is 3" },
		{ 2, CAPABILITY(CAP_PERFMON), DOCTOR_OK, "by perf_event_open()" },
		{ 2, 0, DOCTOR_OK, "one's own processes, in user mode" },
		{ 1, 0, DOCTOR_OK, "one's own processes (kernel" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		facts.perf_loads = true;
		facts.paranoid = cases[i].paranoid;
		facts.capabilities = cases[i].capabilities;
		nr = doctor_judge(&facts, checks);
		check = check_of("engine");
		assert_int_equal(check->state, cases[i].state);
		/* Nothing of what the module lacks has to be fixed. */
		assert_true(check->needed);
		assert_int_equal(doctor_verdict(checks, nr), cases[i].state);
		facts.lockdown = LOCKDOWN_CONFIDENTIALITY;
		assert_int_equal(doctor_verdict(checks, doctor_judge(&facts, checks)), DOCTOR_NO);
		facts.lockdown = LOCKDOWN_INTEGRITY;
		nr = doctor_judge(&facts, checks);
		assert_int_equal(doctor_verdict(checks, nr), cases[i].state);
		check = check_of("engine");
		if (!strstr(check->found, cases[i].words))
			fail_msg("%s", check->found);
	}
	facts.perf_loads = false;
	doctor_judge(&facts, checks);
	assert_non_null(strstr(check_of("engine")->found, "need the module"));
	facts = ready();
	doctor_judge(&facts, checks);
	assert_string_equal(check_of("engine")->found, "record and start sample by the module, as /dev/memlat opens");
}

/* What only names need does not prevent sampling. */
TEST(test_names)
{
	struct doctor_facts facts = ready();

	facts.kernel_names = false;
	facts.kptr_restrict = 2;
	only(&facts, "kernel_names", DOCTOR_FIX, "even from root", "sysctl kernel.kptr_restrict=1");
	facts.kptr_restrict = 1;
	only(&facts, "kernel_names", DOCTOR_FIX, "from this user", "sudo memlat-ctl ...");
	facts = ready();
	*facts.debug = '\0';
	only(&facts, "debug_info", DOCTOR_FIX, "no separate debug files",
	     "debuginfod-find debuginfo PROGRAM");
	facts = ready();
	*facts.heap_library = '\0';
	only(&facts, "heap", DOCTOR_FIX, "not found", "make install");
}

/* A machine that consists of files. */
static char root[] = "/tmp/memlat-doctor-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *under(const char *name)
{
	static char paths[8][128];
	static unsigned int turn;
	char *path = paths[turn++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static int machine_make(void **state)
{
	return mkdtemp(root) ? 0 : -1;
}

static int machine_remove(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

TEST_WITH(test_look, machine_make, machine_remove)
{
	struct doctor_paths paths = {
		.proc = under("proc"), .sys = under("sys"), .log = under("kmsg"),
		.modules = under("modules"), .debug = under("nowhere"),
	};
	struct doctor_facts facts;
	char folders[300];

	/* Nothing exists: nothing is known, and nothing fails. */
	doctor_look(&facts, &paths);
	assert_false(facts.has_cpu || facts.loaded || facts.log_readable || facts.kvm);
	assert_int_equal(facts.watchdog, WATCHDOG_UNKNOWN);
	assert_int_equal(facts.kptr_restrict, -1);
	assert_int_equal(doctor_verdict(checks, doctor_judge(&facts, checks)), DOCTOR_NO);

	put("proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
	    "model name\t: Intel(R) Xeon(R): Gold\nstepping\t: 4\nmicrocode\t: 0x2006b06\n"
	    "flags\t\t: fpu dts pebs-like pdcm hypervisor pebs\n\n"
	    "processor\t: 1\nvendor_id\t: Other\nmodel\t\t: 1\n");
	put("proc/sys/kernel/nmi_watchdog", "1\n");
	put("proc/sys/kernel/kptr_restrict", "2\n");
	put("proc/self/status", "Name:\tx\nCapPrm:\t0000000000000001\nCapEff:\t000001ffffffffff\n");
	put("proc/kallsyms", "0000000000000000 A x\n0000000000000000 T y\n");
	put("sys/module/memlat/version", "0.1.0\n");
	put("sys/module/kvm_intel/refcnt", "3\n");
	put("sys/module/module/parameters/sig_enforce", "Y\n");
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put("kmsg", "6,1,2,-;other: line\n"
	    "3,2,3,-;memlat: cannot run on this CPU (GenuineIntel, family 6 model 0x1 stepping 2): first\n"
	    "3,4,5,-;[Firmware Bug]: the BIOS has corrupted hw-PMU resources (MSR 38d is 330)\n"
	    "3,3,4,-;memlat: cannot run on this CPU (GenuineIntel, family 6 model 0x1 stepping 2): too old\n");
	put("modules/modules.dep", "kernel/x.ko:\nupdates/dkms/memlat.ko.xz:\n");
	put("debug/x", "");
	snprintf(folders, sizeof(folders), ":%s:%s:", under("nowhere"), under("debug"));
	paths.debug = folders;
	doctor_look(&facts, &paths);
	assert_true(facts.has_cpu && facts.cpu.intel && facts.hypervisor && facts.pebs &&
		    facts.pdcm);
	assert_int_equal(facts.cpu.family, 6);
	assert_int_equal(facts.cpu.model, 0x55);
	assert_int_equal(facts.cpu.stepping, 4);
	assert_int_equal(facts.cpu.microcode, 0x2006b06);
	assert_string_equal(facts.cpu_name, "Intel(R) Xeon(R): Gold");
	assert_int_equal(facts.watchdog, WATCHDOG_ON);
	assert_int_equal(facts.kptr_restrict, 2);
	assert_int_equal(facts.capabilities, 0x1ffffffffff);
	assert_false(facts.kernel_names);
	assert_true(facts.loaded && facts.installed && facts.log_readable);
	assert_string_equal(facts.version, "0.1.0");
	assert_string_equal(facts.refusal, "too old");
	assert_string_equal(facts.firmware, "MSR 38d is 330");
	assert_true(facts.kvm && facts.signed_only);
	assert_int_equal(facts.kvm_users, 3);
	assert_int_equal(facts.lockdown, LOCKDOWN_INTEGRITY);
	assert_string_equal(facts.meltdown, "Mitigation: PTI");
	assert_string_equal(facts.debug, under("debug"));

	/* Either kind of detector, and a kernel that could use both. */
	put("proc/kallsyms", "0000000000000000 T x\n"
	    "0000000000000000 T watchdog_buddy_check_hardlockup\n");
	doctor_look(&facts, &paths);
	assert_int_equal(facts.watchdog, WATCHDOG_BUDDY);
	put("proc/kallsyms", "0000000000000000 t watchdog_overflow_callback\n"
	    "0000000000000000 T watchdog_buddy_check_hardlockup\n");
	doctor_look(&facts, &paths);
	assert_int_equal(facts.watchdog, WATCHDOG_ON);

	put("proc/sys/kernel/nmi_watchdog", "0\n");
	put("proc/kallsyms", "0000000000000000 T watchdog_buddy_check_hardlockup\n");
	doctor_look(&facts, &paths);
	assert_int_equal(facts.watchdog, WATCHDOG_BUDDY_OFF);
	put("proc/kallsyms", "0000000000000000 A x\nffffffff81000000 T y\n");
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu pebs-like\n");
	doctor_look(&facts, &paths);
	assert_int_equal(facts.watchdog, WATCHDOG_OFF);
	assert_true(facts.kernel_names);
	assert_int_equal(facts.lockdown, LOCKDOWN_NONE);
	assert_false(facts.pebs);
}

static char *printed(enum report_format format)
{
	return PRINTED(doctor_print(out, format, checks, nr));
}

static void in_json(const char *state, const char *first)
{
	struct json_object *document = parsed(printed(REPORT_JSON));

	is_text(document, "/state", state);
	is_text(document, "/conditions/0/state", first);
	fits_schema(document, "doctor");
	json_object_put(document);
}

TEST(test_print)
{
	struct doctor_facts facts = ready();

	facts.nr_holders = 1;
	facts.holders[0] = (struct holder){ .pid = 42, .name = "ev\033[31mil" };
	facts.watchdog = WATCHDOG_ON;
	nr = doctor_judge(&facts, checks);
	SAYS(printed(REPORT_TEXT), NOT "\033", "\nfix  NMI watchdog",
	     "\n                     sysctl kernel.nmi_watchdog=0\n",
	     "\nnot ready: 2 things to fix first (NMI watchdog)\n");
	SAYS(printed(REPORT_CSV), "condition,state,needed,found,type\r\n", "watchdog,fix,yes,");
	in_json("fix", "ok");

	facts = ready();
	nr = doctor_judge(&facts, checks);
	SAYS(printed(REPORT_TEXT), "\nready: ");
	in_json("ok", "ok");
	facts.has_cpu = false;
	nr = doctor_judge(&facts, checks);
	SAYS(printed(REPORT_TEXT), "\nnot on this machine: ");
	in_json("no", "no");
}
