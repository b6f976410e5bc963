// SPDX-License-Identifier: GPL-2.0
/* The table of machines is complete and has no contradictions. */
#include "pmu_models.h"

TEST(names)
{
	const struct vp_model *m;
	unsigned int i;

	for (i = 0; (m = vp_model_at(i)); i++) {
		/* If two machines had the same name, only the first one could be found. */
		assert_ptr_equal(vp_model_find(m->name), m);
		assert_non_null(m->title);
		assert_in_range(m->nodes, 1, VP_MAX_NODES);
		assert_true(m->family == 6 || m->family == 18 || m->family == 19);
	}
	assert_true(i > 0);
	assert_non_null(vp_model_find("nhm"));
	assert_null(vp_model_find("core2"));
	assert_null(vp_model_find(""));
}

/* The counters in masks exist, each event has a counter, and the core can write records. */
TEST(rows)
{
	const struct vp_model *m;
	unsigned int i, k;

	for (i = 0; (m = vp_model_at(i)); i++) {
		for (k = 0; k < vp_model_kinds(m); k++) {
			const struct vp_core *c = m->core[k];
			uint32_t gp = (1u << c->gp) - 1;

			print_message("# %s: %s\n", m->name, c->name);
			assert_in_range(c->gp, 1, VP_PMU_GP_MAX);
			assert_in_range(c->fixed, 1, VP_PMU_FIXED_MAX);
			assert_non_null(c->encoding);
			assert_int_equal(c->load_counters & ~gp, 0);
			assert_int_equal(c->store_counters & ~gp, 0);
			assert_int_equal(c->aux_counters & ~gp, 0);
			assert_int_equal(!c->load_event, !c->load_counters);
			assert_int_equal(!c->store_event, !c->store_counters);
			assert_int_equal(!c->aux_event, !c->aux_counters);
			assert_int_equal(!c->type, vp_model_kinds(m) == 1);
			/* Linux takes these numbers from leaf 0AH unless leaf 23H has more. */
			assert_true(c->leaf23 || vp_model_leaf_gp(m) == c->gp ||
				    (!strcmp(m->name, "adl") &&
				     vp_model_leaf_gp(m) + 2 == c->gp));
			assert_int_equal(m->core[k]->version, m->core[0]->version);
			assert_int_equal(vp_core_format(c), vp_core_format(m->core[0]));
		}
	}
}

TEST(sharing_out)
{
	const struct vp_model *adl = vp_model_find("adl"), *arlh = vp_model_find("arlh");

	assert_int_equal(vp_model_kinds(vp_model_find("skx")), 1);
	assert_int_equal(vp_model_kinds(adl), 2);
	assert_int_equal(vp_model_kinds(arlh), 3);
	assert_string_equal(vp_model_core(adl, 0, 2)->name, "adl-p");
	assert_string_equal(vp_model_core(adl, 1, 2)->name, "adl-e");
	assert_string_equal(vp_model_core(adl, 1, 4)->name, "adl-p");
	assert_string_equal(vp_model_core(adl, 3, 4)->name, "adl-e");
	assert_string_equal(vp_model_core(adl, 0, 1)->name, "adl-p");
	assert_string_equal(vp_model_core(arlh, 0, 3)->name, "arl-p");
	assert_string_equal(vp_model_core(arlh, 1, 3)->name, "arl-e");
	assert_string_equal(vp_model_core(arlh, 2, 3)->name, "arl-lp");
	assert_int_equal(vp_model_leaf_gp(adl), 6);
	assert_int_equal(vp_model_leaf_fixed(adl), 3);
	assert_int_equal(vp_model_leaf_gp(vp_model_find("lnl")), 8);
	assert_int_equal(vp_model_leaf_fixed(vp_model_find("icx")), 4);
}

/*
 * What public logs of such machines contain: "PEBS fmt5+-baseline", "version: 5", numbers of
 * counters.
 */
TEST(logs)
{
	static const struct {
		const char *model;
		unsigned int number, format, version;
		unsigned int gp[VP_CORE_KINDS];		/* 0: the log does not say */
	} t[] = {
		{ "hsw", 0x3f, 2, 3, { 0 } },			/* Xeon E5-2630 v3 */
		{ "skl", 0x5e, 3, 4, { 0 } },
		{ "mtl", 0xaa, 4, 5, { 0 } },			/* Core Ultra 7 155H, 9 185H */
		{ "lnl", 0xbd, 6, 6, { 0 } },
		{ "arl", 0xc6, 6, 6, { 0 } },			/* Core Ultra 7 265K */
		{ "arlh", 0xc5, 5, 5, { 10, 8, 8 } },		/* Core Ultra 9 285H */
	};
	unsigned int i, k;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_model *m = vp_model_find(t[i].model);

		print_message("# %s\n", m->name);
		assert_int_equal(m->model, t[i].number);
		for (k = 0; k < vp_model_kinds(m); k++) {
			assert_int_equal(vp_core_format(m->core[k]), t[i].format);
			assert_int_equal(m->core[k]->version, t[i].version);
			if (t[i].gp[k])
				assert_int_equal(m->core[k]->gp, t[i].gp[k]);
		}
	}
}

/* Written by hand from the tables of the SDM and of Linux' ds.c. */
TEST(words)
{
	static const struct {
		const struct vp_encoding *e;
		uint8_t code;
		bool stlb_miss, locked;
		uint32_t load;
	} t[] = {
		{ &vp_encoding_nhm, VP_L3_HITM, true, true, 0x6 },
		{ &vp_encoding_nhm, VP_L3_CLEAN, false, false, 0x5 },
		{ &vp_encoding_nhm, VP_RCACHE, false, false, 0x8 },
		{ &vp_encoding_wsm, VP_L3_HITM, true, true, 0x36 },
		{ &vp_encoding_snb, VP_L3_HITM, true, false, 0x17 },
		{ &vp_encoding_snb, VP_RHITM, false, false, 0x9 },
		{ &vp_encoding_hsw, VP_RCACHE, false, true, 0x28 },
		{ &vp_encoding_skl, VP_RCACHE, false, true, 0x2c },
		{ &vp_encoding_skl, VP_RHITM, true, true, 0x3d },
		/* Clean or modified: two words until Cascade Lake, one word since Ice Lake. */
		{ &vp_encoding_skl, VP_L3_CLEAN, false, false, 0x6 },
		{ &vp_encoding_skl, VP_L3_HITM, false, false, 0x7 },
		{ &vp_encoding_icl, VP_L3_CLEAN, false, false, 0x7 },
		{ &vp_encoding_icl, VP_L3_HITM, false, false, 0x7 },
		{ &vp_encoding_glc, VP_L3_CLEAN, false, false, 0x7 },
		{ &vp_encoding_glc, VP_L3_HITM, true, true, 0x37 },
		{ &vp_encoding_grt, VP_L3_HITM, true, false, 0x26 },
		{ &vp_encoding_grt, VP_DRAM, false, true, 0x1a },
		{ &vp_encoding_cmt, VP_L3_HITM, true, false, 0x48 },
		{ &vp_encoding_cmt, VP_RHITM, false, true, 0x2d },
		{ &vp_encoding_lnc, VP_L1, false, false, 0x1 },
		{ &vp_encoding_lnc, VP_LFB, false, false, 0x3 },
		{ &vp_encoding_lnc, VP_L2, false, false, 0x5 },
		{ &vp_encoding_lnc, VP_L3_HITM, true, false, 0x40d },
		{ &vp_encoding_lnc, VP_DRAM, true, true, 0xc11 },
		{ &vp_encoding_pnc, VP_L1, false, false, 0x2 },
		{ &vp_encoding_pnc, VP_L2, true, false, 0x804 },
		{ &vp_encoding_pnc, VP_L3, false, false, 0x1c2 },
		{ &vp_encoding_pnc, VP_L3_HITM, false, true, 0x1123 },
		{ &vp_encoding_pnc, VP_RDRAM, true, true, 0x1918 },
		{ &vp_encoding_arw, VP_L1, false, false, 0x1 },
		{ &vp_encoding_arw, VP_L2, false, false, 0x3 },
		{ &vp_encoding_arw, VP_RHITM, false, false, 0x136 },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_access a = { .locked = t[i].locked };
		const struct vp_outcome o = { .code = t[i].code, .stlb_miss = t[i].stlb_miss };

		assert_int_equal(vp_encode_load(t[i].e, &a, &o), t[i].load);
	}
}

TEST(store_words)
{
	static const struct {
		const struct vp_encoding *e;
		bool l1_hit;
		uint32_t plain, flags;
	} t[] = {
		{ &vp_encoding_snb, true, 0x1, 0x31 },
		{ &vp_encoding_snb, false, 0x0, 0x30 },
		{ &vp_encoding_hsw, true, 0x1, 0x1 },
		{ &vp_encoding_skl, false, 0x0, 0x0 },
		{ &vp_encoding_glc, true, 0x1, 0x31 },
		{ &vp_encoding_glc, false, 0x3, 0x33 },
		{ &vp_encoding_grt, false, 0x3, 0x33 },
		{ &vp_encoding_cmt, false, 0x3, 0x63 },
		{ &vp_encoding_lnc, false, 0x5, 0xc05 },
		{ &vp_encoding_pnc, false, 0x4, 0x1804 },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct vp_access a = { .store = true };
		struct vp_outcome o = { .code = t[i].l1_hit ? VP_L1 : VP_L2,
					.l1_hit = t[i].l1_hit };

		assert_int_equal(vp_encode_store(t[i].e, &a, &o), t[i].plain);
		a.locked = o.stlb_miss = true;
		assert_int_equal(vp_encode_store(t[i].e, &a, &o), t[i].flags);
	}
}

TEST(seen)
{
	assert_int_equal(vp_encoding_seen(&vp_encoding_skl, VP_PMEM), VP_PMEM);
	assert_int_equal(vp_encoding_seen(&vp_encoding_nhm, VP_L3_MISS), VP_L3);
	assert_int_equal(vp_encoding_seen(&vp_encoding_snb, VP_L3_MISS), VP_L3_MISS);
	assert_int_equal(vp_encoding_seen(&vp_encoding_snb, VP_PMEM), VP_UNKNOWN);
	assert_int_equal(vp_encoding_seen(&vp_encoding_grt, VP_RCACHE), VP_UNKNOWN);
	assert_int_equal(vp_encoding_seen(&vp_encoding_icl, VP_L3_CLEAN), VP_L3_HITM);
	assert_int_equal(vp_encoding_seen(&vp_encoding_icl, VP_L3_HITM), VP_L3_HITM);
	assert_int_equal(vp_encoding_seen(&vp_encoding_skl, VP_L3_CLEAN), VP_L3_CLEAN);
	assert_int_equal(vp_encoding_seen(&vp_encoding_lnc, VP_RDRAM), VP_UNKNOWN);
	assert_int_equal(vp_encoding_seen(&vp_encoding_lnc, VP_DRAM), VP_DRAM);
}

/*
 * E-cores and Lion Cove distinguish a clean forward from a modified one, as all cores did until Ice
 * Lake.
 */
TEST(forwards)
{
	static const char *const blind[] = { "icl", "tgl", "icx", "spr", "emr", "gnr" };
	static const char *const hybrid[] = { "adl", "mtl" };
	static const char *const others[] = { "nhm", "snb", "hsw", "skl", "skx", "clx", "lnl", "arl", "srf" };
	unsigned int i;

	for (i = 0; i < sizeof(blind) / sizeof(*blind); i++)
		assert_int_equal(vp_encoding_seen(core_of(blind[i])->encoding, VP_L3_CLEAN),
				 VP_L3_HITM);
	for (i = 0; i < sizeof(hybrid) / sizeof(*hybrid); i++) {
		const struct vp_model *m = vp_model_find(hybrid[i]);

		assert_int_equal(vp_encoding_seen(m->core[0]->encoding, VP_L3_CLEAN), VP_L3_HITM);
		assert_int_equal(vp_encoding_seen(m->core[1]->encoding, VP_L3_CLEAN), VP_L3_CLEAN);
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(vp_encoding_seen(core_of(others[i])->encoding, VP_L3_CLEAN),
				 VP_L3_CLEAN);
}

/* Cores whose stores have codes: E-cores, and others since Golden Cove. */
TEST(telling_stores)
{
	static const struct {
		const char *model;
		bool p, e;
	} t[] = {
		{ "nhm", false, false }, { "snb", false, false }, { "hsw", false, false },
		{ "skx", false, false }, { "icx", false, false }, { "spr", true, false },
		{ "gnr", true, false }, { "adl", true, true }, { "mtl", true, true },
		{ "lnl", true, true }, { "srf", true, false }, { "grr", true, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_model *m = vp_model_find(t[i].model);

		print_message("# %s\n", m->name);
		assert_int_equal(vp_stores_tell(m->core[0]), t[i].p);
		if (m->core[1])
			assert_int_equal(vp_stores_tell(m->core[1]), t[i].e);
	}
}

/* Words are packed as in module/core/sample.h. */
TEST(packed)
{
	bool found[VP_RAWS] = { false };
	unsigned int n, raw;

	assert_int_equal(vp_encoding_words(&vp_encoding_cmt), 256);
	for (n = 0; n < 256; n++) {
		assert_int_equal(vp_encoding_word(&vp_encoding_cmt, n), n);
		assert_int_equal(vp_encoding_raw(&vp_encoding_cmt, n | 0x100), n);
	}
	assert_int_equal(vp_encoding_word(&vp_encoding_cmt, 256 + 7), 7);

	assert_int_equal(vp_encoding_words(&vp_encoding_lnc), 1024);
	assert_int_equal(vp_encoding_word(&vp_encoding_lnc, 0x3f), 0x3f);
	assert_int_equal(vp_encoding_word(&vp_encoding_lnc, 0x40), 1 << 10);
	assert_int_equal(vp_encoding_word(&vp_encoding_lnc, 1023), 0x3c3f);
	assert_int_equal(vp_encoding_raw(&vp_encoding_lnc, 0x3c11), 15 << 5 | 0x11);
	assert_int_equal(vp_encoding_raw(&vp_encoding_lnc, 0x4ff), 1 << 5 | 0x1f);
	for (n = 0; n < 1024; n++)
		found[vp_encoding_raw(&vp_encoding_lnc, vp_encoding_word(&vp_encoding_lnc, n))] =
			true;
	for (raw = 0; raw < 512; raw++)
		assert_true(found[raw]);
}

/* Nine bits of code: each code with four sets of flags, and all sets of flags with some code. */
TEST(packed_nine)
{
	bool found[VP_RAWS] = { false };
	unsigned int n, raw, sets[16] = { 0 }, codes[512] = { 0 };

	assert_int_equal(vp_encoding_words(&vp_encoding_pnc), 2048);
	for (n = 0; n < 2048; n++) {
		raw = vp_encoding_raw(&vp_encoding_pnc, vp_encoding_word(&vp_encoding_pnc, n));
		assert_false(found[raw]);
		found[raw] = true;
		codes[raw & 0x1ff]++;
		sets[raw >> 9]++;
	}
	for (n = 0; n < 512; n++)
		assert_int_equal(codes[n], 4);
	for (n = 0; n < 16; n++)
		assert_int_equal(sets[n], 128);
	assert_int_equal(vp_encoding_word(&vp_encoding_pnc, 2048 + 3), 3 | 3 << 11);
	assert_int_equal(vp_encoding_raw(&vp_encoding_arw, 0x8000 | 1 << 11 | 0x6ff), 1 << 9 | 0xff);
	assert_int_equal(vp_encoding_raw(&vp_encoding_arw, 0x79ff), 0x1fff);
}
