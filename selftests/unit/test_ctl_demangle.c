// SPDX-License-Identifier: GPL-2.0
/*
 * Mangled names and their meaning: of rustc 1.95, of a small program and of itself. And invalid
 * names, which must not cost more.
 */
#include "ctl_test.h"

#include "names/symbols.h"
#include "util/xalloc.h"

static struct {
	const char *mangled, *text;
} const known[] = {
		{ "_RINvCsjMaewn57Afh_1t3ptrnEB2_",
		  "t::ptr::<i128>" },
		{ "_RINvCsjMaewn57Afh_1t3tagKc78_Kb1_Kln7_EB2_",
		  "t::tag::<'x', true, -7>" },
		{ "_RINvCsjMaewn57Afh_1t4callNCNvB2_4mains0_0EB2_",
		  "t::call::<t::main::{closure#2}>" },
		{ "_RINvNtCsgEmfK2I1SDS_4core3ptr13drop_in_placeINtNtCslNYArtu3iFV_5alloc5b"
		  "oxed3BoxDG0_INtNtNtB4_3ops8function2FnTRL1_INtNtCsjrHSEGnQ3l9_3std5panic"
		  "13PanicHookInfoL0_EEEp6OutputuNtNtB4_6marker4SyncNtB2N_4SendEL_EEB1T_",
		  "core::ptr::drop_in_place::<alloc::boxed::Box<dyn for<'a, 'b> core::ops::"
		  "function::Fn<(&'a std::panic::PanicHookInfo<'b>,), Output = ()> + core::"
		  "marker::Sync + core::marker::Send>>" },
		{ "_RNCNvMCsjMaewn57Afh_1tINtB4_4RingdKj4_E4push0B4_",
		  "<t::Ring<f64, 4>>::push::{closure#0}" },
		{ "_RNvMCsjMaewn57Afh_1tINtB2_4RingdKj4_E4pushB2_",
		  "<t::Ring<f64, 4>>::push" },
		{ "_RNvXs_CsjMaewn57Afh_1tINtB4_4RingdKj4_ENtB4_5Shape4area",
		  "<t::Ring<f64, 4> as t::Shape>::area" },
		{ "_RNvYFEuINtNtNtCsgEmfK2I1SDS_4core3ops8function6FnOnceuE9call_onceCsjMae"
		  "wn57Afh_1t",
		  "<fn() as core::ops::function::FnOnce<()>>::call_once" },
		{ "_RNvMs3_NtCsbEht8wFNRx7_5alloc7raw_vecINtB5_6RawVecTOhFUKCBN_EuENtNtCsi4"
		  "IsKQVxMg0_3std5alloc6SystemE8grow_oneB13_",
		  "<alloc::raw_vec::RawVec<(*mut u8, unsafe extern \"C\" fn(*mut u8)), std:"
		  ":alloc::System>>::grow_one" },
		{ "_RNvXs0_NtCseQVuubCcFDg_12simd_adler324hashAhj0_NtB7_11Adler32Hash4hash",
		  "<[u8; 0] as simd_adler32::Adler32Hash>::hash" },
		{ "_RNvXsq_NtCsgEmfK2I1SDS_4core3fmtONtNtB7_3ffi6c_voidNtB5_5Debug3fmtCsjrH"
		  "SEGnQ3l9_3std",
		  "<*mut core::ffi::c_void as core::fmt::Debug>::fmt" },
		{ "_RNvXs1h_NtCs8NwYtU1Mohg_4core3fmtQShNtB6_5Debug3fmtCscYsbIx0cOGh_14rust"
		  "c_demangle",
		  "<&mut [u8] as core::fmt::Debug>::fmt" },
		{ "_RNSNvYNCNvCsjMaewn57Afh_1t4main0INtNtNtCsgEmfK2I1SDS_4core3ops8function"
		  "6FnOnceTlEE9call_once6vtableB8_",
		  "<t::main::{closure#0} as core::ops::function::FnOnce<(i32,)>>::call_once"
		  "::{shim:vtable#0}" },
		{ "_ZN114_$LT$std..collections..hash..map..HashMap$LT$K$C$V$C$S$C$A$GT$$u20"
		  "$as$u20$core..ops..index..Index$LT$$RF$Q$GT$$GT$5index17hfb624bcf47578bd"
		  "dE",
		  "<std::collections::hash::map::HashMap<K,V,S,A> as core::ops::index::Inde"
		  "x<&Q>>::index" },
		{ "_ZN3std3ffi6os_str85_$LT$impl$u20$core..convert..AsRef$LT$std..ffi..os_s"
		  "tr..OsStr$GT$$u20$for$u20$str$GT$6as_ref17h44280c1dfc718594E",
		  "std::ffi::os_str::<impl core::convert::AsRef<std::ffi::os_str::OsStr> "
		  "for str>::as_ref" },
};

static const char *const odd[] = {
	"", "_", "_R", "_Reader", "_Rust", "_RC", "_RC1", "_RC9a", "_RB_", "_RNvB_1a", "_RNvC1a",
	"_RNvC1a99999999999999999999b", "_RIC1aB2_", "_RMC1aC1bx", "_RINvC1a1bKjzz_E",
	"_RINvC1a1bRL_E", "_RNvC1a1b!", "_RNvC1a1bC",
};

TEST(real_names)
{
	struct pool pool = { 0 };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_string_equal(demangle(&pool, known[i].mangled), known[i].text);
	/* Suffixes of a linker and of a compiler. */
	assert_string_equal(demangle(&pool, "_RNvC1t4main.llvm.1234"), "t::main");
	assert_string_equal(demangle(&pool, "_RNvC1t4main@VERSION_1"), "t::main");
	/* Names of C++ and C are as before. */
	assert_string_equal(demangle(&pool, "_ZN4shop4Till3addEl"), "shop::Till::add(long)");
	assert_string_equal(demangle(&pool, "_ZN1a4b17hE"), "a::b17h");
	pool_free(&pool);
}

TEST(no_names)
{
	struct pool pool = { 0 };
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_string_equal(demangle(&pool, odd[i]), odd[i]);
	pool_free(&pool);
}

/* A function with so many tuples, each twice as long as the one before. */
static void make_tuples(char *to, unsigned int nr)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t used = (size_t)sprintf(to, "_RINvC1a1bu"), last = used - 3;

	while (nr--) {
		const size_t here = used - 2;
		char back[8];

		/* One less than the place, in two digits. */
		sprintf(back, "B%c%c_", digits[(last - 1) / 62], digits[(last - 1) % 62]);
		used += (size_t)sprintf(to + used, "T%s%sE", back, back);
		last = here;
	}
	strcpy(to + used, "E");
}

/* The same in C++: f(A<int, int>, A<A<int, int>, A<int, int>>, ...). */
static void make_templates(char *to, unsigned int nr)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	unsigned int i;

	to += sprintf(to, "_Z1f1AIiiE");
	for (i = 0; i < nr; i++)
		to += sprintf(to, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void expect(const char *mangled, const char *text)
{
	struct pool pool = { 0 };

	assert_string_equal(demangle(&pool, mangled), text);
	pool_free(&pool);
}

/* A name that would be too long stays as it is, and finding that out takes little time. */
TEST(bounds)
{
	static char deep[4000], wide[4096];

	make_tuples(wide, 2);
	expect(wide, "a::b::<(), ((), ()), (((), ()), ((), ()))>");
	make_tuples(wide, 60);
	expect(wide, wide);
	make_templates(wide, 2);
	expect(wide, "f(A<int, int>, A<A<int, int>, A<int, int> >, "
		     "A<A<A<int, int>, A<int, int> >, A<A<int, int>, A<int, int> > >)");
	make_templates(wide, 30);
	expect(wide, wide);
	/* [[[u8]]], so deep that its reader may overflow a stack. */
	strcpy(deep, "_RMC1a");
	memset(deep + 6, 'S', sizeof(deep) - 8);
	strcpy(deep + sizeof(deep) - 2, "h");
	expect(deep, deep);
}

/* Every byte of every name changed: anything may result. */
TEST(damaged)
{
	static const char letters[] = "CMXYNIBLKAGTRQPODFEsup_059az$.";
	struct pool pool = { 0 };
	char copy[1024];
	size_t i, at, k;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const size_t length = strlen(known[i].mangled);

		assert_in_range(length, 1, sizeof(copy) - 1);
		for (at = 0; at < length; at++)
			for (k = 0; k < sizeof(letters); k++) {
				memcpy(copy, known[i].mangled, length + 1);
				copy[at] = letters[k];
				assert_non_null(demangle(&pool, copy));
			}
	}
	pool_free(&pool);
}
