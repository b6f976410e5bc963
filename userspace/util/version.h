/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_VERSION_H
#define MEMLAT_VERSION_H

#define MEMLAT_VERSION	"0.1.0"

#endif
