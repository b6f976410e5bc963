/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures that test_ctl_declare declares with other layouts. A line that begins a structure says
 * behind "=" what must come out: "told" if all its layouts can be declared, or why they cannot.
 */
#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#define restrict
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>
#endif

#define ALIGNED(bytes)	__attribute__((aligned(bytes)))
#define USED(type)	struct type keep_##type

struct pair_of_words {
	uint32_t first, second;
};

struct wide_one {
	uint64_t value;
} ALIGNED(32);

struct flat { char a[3]; short b; } __attribute__((packed));

typedef struct {
	int x, y;
} point_t;

typedef int (*callback_t)(void *, unsigned int);
typedef uint64_t line_word_t ALIGNED(16);
enum color { RED, GREEN = 7, BLUE };
union either {
	uint64_t number;
	void *pointer;
};

struct words { uint64_t hits, misses, waits; };				/* = told */
USED(words);
struct holes { char a; uint64_t b; char c; uint32_t d; char e; };	/* = told */
USED(holes);
struct arrays { char name[13]; int grid[3][5]; double d[2]; };		/* = told */
USED(arrays);
struct nested { struct pair_of_words a; char c; struct pair_of_words b[2]; };	/* = told */
USED(nested);
struct within { char c; struct inner { short s; long l; } in; int i; };	/* = told */
USED(within);
struct without {							/* = told */
	int kind;
	union {
		uint64_t number;
		struct {
			char code;
			void *text;
		};
	};
	int end;
};
USED(without);
struct named_union { char c; union { int i; char b[7]; } u; long l; };	/* = told */
USED(named_union);
struct union_by_name { int i; union either e; short s; };		/* = told */
USED(union_by_name);
struct bits { unsigned int a : 3, b : 7, c : 25; char d; unsigned int e : 1; };	/* = told */
USED(bits);
struct bits_of_two { unsigned char a : 4, b : 4; uint16_t c : 9; uint64_t d : 33, e : 31; };	/* = told */
USED(bits_of_two);
struct bits_behind { char c; int b : 3; int f : 20; short s; };		/* = told */
USED(bits_behind);
struct bits_of_enum { enum color c : 4; bool on : 1, off : 1; uint64_t count; };	/* = told */
USED(bits_of_enum);
struct bits_unnamed { int a : 3; int : 9; int b : 4; long c; };		/* = not where a compiler */
USED(bits_unnamed);
struct bits_zero { int a : 3; int : 0; int b : 4; };			/* = not where a compiler */
USED(bits_zero);
struct typedefs { point_t at; callback_t call; line_word_t word; char c; };	/* = told */
USED(typedefs);
struct functions {							/* = told */
	int (*run)(struct functions *, const char *, ...);
	void *(*make[2])(size_t);
	void (*(*get)(int))(char);
	int (*matrix)[4];
};
USED(functions);
struct pointers { const char *const *names; char *volatile v; void *restrict p; volatile int n; };	/* = told */
USED(pointers);
struct self { struct self *next, *previous; int key; };			/* = told */
USED(self);
struct opaque_pointer { struct nobody_knows *who; short s; };		/* = told */
USED(opaque_pointer);
struct aligned_member { char a; char b ALIGNED(16); int c; };		/* = told */
USED(aligned_member);
struct aligned_whole { int a; char b; } ALIGNED(128);			/* = told */
USED(aligned_whole);
struct aligned_within { char c; struct wide_one w; int i; };		/* = told */
USED(aligned_within);
struct packed_whole { char c; uint64_t l; } __attribute__((packed));	/* = packed */
USED(packed_whole);
struct packed_member { char c; uint32_t l __attribute__((packed)); short s; };	/* = not where a compiler */
USED(packed_member);
struct packed_within { char c; struct flat f; };			/* = packed */
USED(packed_within);
struct floats { float f; double d; long double l; char c; };		/* = told */
USED(floats);
struct wide_numbers { char c; __int128 w; unsigned __int128 u; };	/* = told */
USED(wide_numbers);
struct enums { char c; enum color color; enum { LOW, HIGH = -5 } level; };	/* = told */
USED(enums);
struct enum_values { char c; enum { LEAST = -1, MOST = 0x90000000 } value; };	/* = told */
USED(enum_values);
struct enum_large { char c; enum { NO = 200, TOP = 0x8000000000000000U } value; };	/* = told */
USED(enum_large);
struct enum_within { enum state { IDLE, BUSY } state; char c; enum state old; };	/* = told */
USED(enum_within);
struct flexible { uint32_t n; uint64_t sum; char text[]; };		/* = told */
USED(flexible);
struct flexible_pairs { char c; uint32_t n; struct pair_of_words pairs[]; };	/* = told */
USED(flexible_pairs);
struct zero_in_the_middle { int a; char mark[0]; long b; };		/* = told */
USED(zero_in_the_middle);
struct large { char before[100]; uint64_t a, b; char after[200]; };	/* = told */
USED(large);
struct one { int only; };						/* = told */
USED(one);
struct booleans { bool a, b; wchar_t w; char16_t c; };			/* = told */
USED(booleans);

#ifndef __cplusplus
struct atomics { _Atomic int a; _Atomic uint64_t b; int *_Atomic p; };	/* = told */
USED(atomics);
struct complexes { char c; double _Complex d; float _Complex f; };	/* = told */
USED(complexes);
struct vector { char c; float v __attribute__((vector_size(16))); };	/* = cannot be written */
USED(vector);
#else
struct base { int in_base; };
struct references { int &a; char c; point_t &&b; };			/* = told */
extern references keep_references;
int use_references() { return keep_references.a; }
struct derived : base { char c; };					/* = inherits */
USED(derived);
struct virtual_one { virtual void run() {} int n; };			/* = virtual functions */
USED(virtual_one);
template <typename T> struct box { T value; int n; };			/* = template */
box<long> keep_box;
struct of_template { box<char> b; long n; };				/* = told */
USED(of_template);
struct with_methods { int a; char b; int sum() { return a + b; } static int s; };	/* = told */
USED(with_methods);
int use_methods() { return keep_with_methods.sum(); }
struct parts_private { int get() { return b; } char a; private: int b; public: long c; };	/* = told */
USED(parts_private);
int use_private() { return keep_parts_private.get(); }
namespace space { struct inside { base b; char c; }; }			/* = told */
space::inside keep_inside;
#endif
