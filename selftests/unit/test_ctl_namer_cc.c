// SPDX-License-Identifier: GPL-2.0
#include "ctl_named.h"

static struct named cc;

static int begin(void **state)
{
	named_start(&cc, named_file(*state), NULL);
	return 0;
}

static int end(void **state)
{
	named_end(&cc);
	return 0;
}

/* Names of classes, namespaces and templates, with DWARF 5 and 4. */
static void classes(void **state)
{
	assert_data(&cc, "base_hits",
		    "variable shop::tills[2].Base::base_hits (shop::Till[4])+152 of 288 .data");
	assert_data(&cc, "second_hits",
		    "variable shop::tills[2].Second::second_hits (shop::Till[4])+160 of 288 .data");
	assert_data(&cc, "vptr",
		    "variable shop::tills[1].Base::_vptr.Base (shop::Till[4])+72 of 288 .data");
	assert_data(&cc, "own", "variable shop::tills[0].own (shop::Till[4])+64 of 288 .data");
	/* What the standard library makes of them is left out. */
	assert_data(&cc, "sales", "variable shop::tills[3].sales (shop::Till[4])+240 of 288 .data");
	assert_data(&cc, "coins",
		    "variable shop::tills[1].coins[2] (shop::Till[4])+120 of 288 .data");
	assert_data(&cc, "static", "variable shop::Till::shared (long int)+0 of 8 .data");
	assert_data(&cc, "ring", "variable shop::Ring<5>::slots[4] (long int[5])+32 of 40 .bss");
	assert_data(&cc, "secret",
		    "variable shop::(anonymous namespace)::secret[1] (long int[2])+8 of 16 .bss");
	assert_data(&cc, "calls",
		    "variable shop::count(shop::Till&)::calls[1] (long int[2])+8 of 16 .bss");
}

/* Types in units of their own, as clang writes them. */
static void classes_of_clang(void **state)
{
	assert_data(&cc, "base_hits",
		    "variable shop::tills[2].Base::base_hits (shop::Till[4])+152 of 288 .data");
	assert_data(&cc, "second_hits",
		    "variable shop::tills[2].Second::second_hits (shop::Till[4])+160 of 288 .data");
	assert_data(&cc, "own", "variable shop::tills[0].own (shop::Till[4])+64 of 288 .data");
	assert_data(&cc, "sales", "variable shop::tills[3].sales (shop::Till[4])+240 of 288 .data");
	assert_data(&cc, "coins",
		    "variable shop::tills[1].coins[2] (shop::Till[4])+120 of 288 .data");
}

static void functions(void **state)
{
	const struct code_name *code;

	assert_chain(&cc, "twice", "shop::twice<shop::count(shop::Till&)");
	assert_chain(&cc, "count", "shop::count(shop::Till&)");
	assert_chain(&cc, "add", "long shop::Till::add<long>(long)");
	code = named_code(&cc, "twice");
	assert_string_equal(code->raw, "_ZN4shop5countERNS_4TillE");
	assert_int_equal(code->line, named_place(&cc, "twice")->line);
	assert_int_equal(code->frames[1].line, 58);
	assert_int_equal(named_code(&cc, "add")->line, named_place(&cc, "add")->line);
}

int main(void)
{
	static char now[] = "sample-cc", old[] = "sample-cc-old", unsaid[] = "sample-cc-unsaid",
		    types[] = "sample-cc-types", of_clang[] = "sample-cc-types-clang";
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate_setup_teardown(classes, begin, end, now),
		cmocka_unit_test_prestate_setup_teardown(functions, begin, end, now),
		cmocka_unit_test_prestate_setup_teardown(classes, begin, end, old),
		cmocka_unit_test_prestate_setup_teardown(functions, begin, end, old),
		cmocka_unit_test_prestate_setup_teardown(classes, begin, end, unsaid),
		cmocka_unit_test_prestate_setup_teardown(classes, begin, end, types),
		cmocka_unit_test_prestate_setup_teardown(classes_of_clang, begin, end, of_clang),
	};

	return cmocka_run_group_tests_name("namer_cc", tests, NULL, NULL);
}
