// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays, and atomic numbers, with the debug information that other compilers write for them. With
 * gfortran, elements count from 1, unless DWARF says otherwise, and those of the first dimension are
 * neighbours. With rustc, an array of arrays is an array whose elements are arrays.
 */
#include <unistd.h>

#include "here.h"

double list[10];	/* real(8) :: list(10) */
double grid[6];		/* real(8) :: grid(2,3) */
double span[25];	/* real(8) :: span(-2:2,5) */
double blk_[11];	/* real(8) :: q, r(10); common /blk/ q, r */
double rows[12];	/* Rust: static mut rows: [[f64; 3]; 4] */
unsigned int gate[2];	/* Rust: struct Gate { open: AtomicU32, turns: AtomicU32 } */
char later[64];		/* real(8), allocatable :: later(:), which is a descriptor */

__asm__(
"	.pushsection .debug_abbrev,\"\",@progbits\n"
"abbrevs:\n"
"	.uleb128 1, 0x11\n	.byte 1\n	.uleb128 0x13, 0x0b, 0x03, 0x08, 0, 0\n"
"	.uleb128 2, 0x24\n	.byte 0\n	.uleb128 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b, 0, 0\n"
"	.uleb128 3, 0x01\n	.byte 1\n	.uleb128 0x49, 0x13, 0, 0\n"
"	.uleb128 4, 0x01\n	.byte 1\n	.uleb128 0x09, 0x0b, 0x49, 0x13, 0, 0\n"
"	.uleb128 5, 0x01\n	.byte 1\n	.uleb128 0x50, 0x18, 0x49, 0x13, 0, 0\n"
"	.uleb128 6, 0x21\n	.byte 0\n	.uleb128 0x2f, 0x0b, 0, 0\n"
"	.uleb128 7, 0x21\n	.byte 0\n	.uleb128 0x22, 0x0d, 0x2f, 0x0b, 0, 0\n"
"	.uleb128 8, 0x21\n	.byte 0\n	.uleb128 0, 0\n"
"	.uleb128 9, 0x34\n	.byte 0\n	.uleb128 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0\n"
"	.uleb128 11, 0x2e\n	.byte 1\n	.uleb128 0x03, 0x08, 0, 0\n"
"	.uleb128 12, 0x1a\n	.byte 1\n	.uleb128 0x03, 0x08, 0, 0\n"
"	.uleb128 10, 0x21\n	.byte 0\n	.uleb128 0x22, 0x0d, 0x37, 0x0b, 0, 0\n"
"	.uleb128 13, 0x39\n	.byte 1\n	.uleb128 0x03, 0x08, 0, 0\n"
"	.uleb128 14, 0x13\n	.byte 1\n	.uleb128 0x03, 0x08, 0x0b, 0x0b, 0, 0\n"
"	.uleb128 15, 0x0d\n	.byte 0\n	.uleb128 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0\n"
"	.uleb128 0\n"
"	.popsection\n"
"	.macro member name, type, at\n"
"	.uleb128 15\n	.string \"\\name\"\n	.long \\type - rust\n	.byte \\at\n"
"	.endm\n"
"	.macro placed name, type, place, unit=unit\n"
"	.uleb128 9\n	.string \"\\name\"\n	.long \\type - \\unit\n"
"	.uleb128 9\n	.byte 3\n	.quad \\place\n"
"	.endm\n"
"	.macro variable name, type, unit=unit\n"
"	placed \\name, \\type, \\name, \\unit\n"
"	.endm\n"
"	.pushsection .debug_info,\"\",@progbits\n"
"unit:	.long unit_end - unit_begin\n"
"unit_begin:\n"
"	.short 4\n	.long abbrevs\n	.byte 8\n"
"	.uleb128 1\n	.byte 0x23\n	.string \"fortran.f90\"\n"	/* Fortran 2008 */
"real:	.uleb128 2\n	.string \"real(kind=8)\"\n	.byte 4, 8\n"
"of_list: .uleb128 3\n	.long real - unit\n"
"	.uleb128 6\n	.byte 10\n	.uleb128 0\n"
"of_grid: .uleb128 4\n	.byte 1\n	.long real - unit\n"
"	.uleb128 6\n	.byte 2\n	.uleb128 6\n	.byte 3\n	.uleb128 0\n"
"of_span: .uleb128 4\n	.byte 1\n	.long real - unit\n"
"	.uleb128 7\n	.sleb128 -2\n	.byte 2\n	.uleb128 6\n	.byte 5\n	.uleb128 0\n"
"of_later: .uleb128 5\n	.uleb128 2\n	.byte 0x97, 6\n	.long real - unit\n"
"	.uleb128 8\n	.uleb128 0\n"
"	variable list, of_list\n"
"	variable grid, of_grid\n"
"	variable span, of_span\n"
"	variable later, of_later\n"
"	.uleb128 11\n	.string \"work\"\n"
"	.uleb128 12\n	.string \"blk\"\n"
"	placed q, real, blk_\n"
"	placed r, of_list, blk_+8\n"
"	.uleb128 0\n	.uleb128 0\n"
"	.uleb128 0\n"
"unit_end:\n"
"rust:	.long rust_end - rust_begin\n"
"rust_begin:\n"
"	.short 4\n	.long abbrevs\n	.byte 8\n"
"	.uleb128 1\n	.byte 0x1c\n	.string \"rust.rs\"\n"
"f64:	.uleb128 2\n	.string \"f64\"\n	.byte 4, 8\n"
"of_row:	.uleb128 3\n	.long f64 - rust\n"
"	.uleb128 10\n	.sleb128 0\n	.byte 3\n	.uleb128 0\n"
"of_rows: .uleb128 3\n	.long of_row - rust\n"
"	.uleb128 10\n	.sleb128 0\n	.byte 4\n	.uleb128 0\n"
"	variable rows, of_rows, rust\n"
"u32:	.uleb128 2\n	.string \"u32\"\n	.byte 7, 4\n"
"	.uleb128 13\n	.string \"core\"\n	.uleb128 13\n	.string \"sync\"\n	.uleb128 13\n	.string \"atomic\"\n"
"of_cell: .uleb128 14\n	.string \"UnsafeCell<u32>\"\n	.byte 4\n"
"	member value, u32, 0\n	.uleb128 0\n"
"of_atom: .uleb128 14\n	.string \"AtomicU32\"\n	.byte 4\n"
"	member v, of_cell, 0\n	.uleb128 0\n"
"	.uleb128 0\n	.uleb128 0\n	.uleb128 0\n"
"	.uleb128 13\n	.string \"tok\"\n"
"of_gate: .uleb128 14\n	.string \"Gate\"\n	.byte 8\n"
"	member open, of_atom, 0\n	member turns, of_atom, 4\n	.uleb128 0\n	.uleb128 0\n"
"	variable gate, of_gate, rust\n"
"	.uleb128 0\n"
"rust_end:\n"
"	.popsection\n");

int main(void)
{
	THERE("list.first", list[0]);
	THERE("list.last", list[9]);
	THERE("grid", grid[3]);
	THERE("grid.last", grid[5]);
	THERE("span", span[1]);
	THERE("span.last", span[24]);
	THERE("later", later[8]);
	THERE("block.first", blk_[0]);
	THERE("block", blk_[3]);
	THERE("rows", rows[5]);
	THERE("gate", gate[1]);
	puts("end 0 0");
	fflush(stdout);
	pause();
	return 0;
}
