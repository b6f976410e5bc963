# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What lab, build and run share: where the laboratory is, how to speak, how to work inside it. Sourced, never run.

# shellcheck disable=SC2034	# these are for the scripts that source this file
VM_DIR=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd -- "$VM_DIR/../.." && pwd -P)

# Which Debian suite each kernel name stands for. The name says the series that the suite is expected to hold.
declare -A KERNEL_SUITE=([6.1]=bookworm [6.12]=trixie [7.2]=trixie-backports [rt]=trixie-backports)
# The lab has these. These are made when they are asked for: those that are built here, each with a file of its name in config/,
# and rt, the suite's kernel that can be preempted nearly everywhere.
KERNELS=(6.1 6.12 7.2)
KERNELS_BUILT=(debug kcfi bare signed)
KERNELS_MORE=("${KERNELS_BUILT[@]}" rt)

# What `build --clang` compiles the module with; the lab has it when that was asked for once.
CLANG=clang-19

# A helper's name before every line it says itself, so that it is not taken for the guest's.
PROG=${0##*/}

say()
{
	printf '%s: %s\n' "$PROG" "$*" >&2
}

# die STATUS MESSAGE…
die()
{
	local status=$1

	shift
	say "$@"
	exit "$status"
}

lab_path()
{
	if [[ -n ${MEMLAT_LAB:-} ]]; then
		printf '%s\n' "$MEMLAT_LAB"
	elif [[ -n ${XDG_CACHE_HOME:-} ]]; then
		printf '%s\n' "$XDG_CACHE_HOME/memlat/lab"
	else
		[[ -n ${HOME:-} ]] || die 1 "HOME is not set: name a folder for the lab in MEMLAT_LAB"
		printf '%s\n' "$HOME/.cache/memlat/lab"
	fi
}

LAB=$(lab_path) || exit
[[ $LAB == /* ]] || LAB=$PWD/$LAB
ROOT=$LAB/root

# Names this recipe: the lab is ready for these very files, or something in it may have to be made again.
lab_recipe()
{
	cat "$VM_DIR"/{lab,common.sh,kernels.sh,plugin-api.c,init} | sha256sum | cut -c1-16
}

# in_root [NAME=VALUE…] COMMAND…: run COMMAND inside the lab's root file system with a clean environment.
in_root()
{
	env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$ROOT" "$@" </dev/null
}

# By which way: see enter_root.
ENTER=()

# How to work in the lab's root with /proc and /dev in place: objtool reads the one, the kernel's makefiles the other. With
# mounts of our own, with those of a user namespace, or, in a container that allows neither, with proot's translation.
# With a FOLDER of the root, that is /build as well: what is built there holds this name, whichever clone it is of.
enter_root()
{
	# shellcheck disable=SC2016	# expanded by the shell inside
	local way loader mounts='mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" &&
		{ [ -z "$1" ] || mount --bind "$1" "$0/build"; } && shift && exec chroot "$0" "$@"' folder=${1:-}

	[[ -z $folder ]] || mkdir -p "$ROOT/build"
	# shellcheck disable=SC2016
	for way in "unshare -m" "unshare -U -r -m" "proot"; do
		if [[ $way == proot ]]; then
			loader=("$ROOT/lib64/ld-linux-x86-64.so.2" --library-path "$ROOT/usr/lib/x86_64-linux-gnu")
			# The packaged proot is older than these system calls and would let them see the host's files;
			# libc has another way when they are missing.
			ENTER=("${loader[@]}" "$ROOT/usr/bin/enosys" -s statx -s faccessat2 -s openat2 -s fchmodat2 --
				"${loader[@]}" "$ROOT/usr/bin/proot" -r "$ROOT" -b /dev -b /proc ${folder:+-b "$folder:/build"} -w /)
		else
			# shellcheck disable=SC2206	# its words
			ENTER=($way bash -c "$mounts" "$ROOT" "$folder")
		fi
		if in_build_root sh -c '[ -c /dev/null ] && [ -r /proc/self/maps ]' 2>/dev/null; then
			return
		fi
	done
	die 1 "cannot work in $ROOT: no right to mount, no user namespaces, and proot does not work here"
}

# Like in_root, by the way that enter_root found.
in_build_root()
{
	env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		"${ENTER[@]}" "$@" </dev/null
}

# The release (uname -r) that a kernel name stands for in this lab.
kernel_release()
{
	cat "$LAB/kernels/$1/release"
}

# Is the lab made, by this recipe?
lab_ready()
{
	[[ -e $LAB/stamps/all-$(lab_recipe) ]]
}

# Is it built here?
kernel_is_built()
{
	[[ " ${KERNELS_BUILT[*]} " == *" $1 "* ]]
}

# May "run" be asked for it?
kernel_is_known()
{
	[[ " ${KERNELS[*]} ${KERNELS_MORE[*]} " == *" $1 "* ]]
}

# in_lab PROGRAM…: a program of the lab's root by that root's own loader: no chroot, so files of this host are in reach and no
# privilege is needed.
LAB_LIB=$ROOT/usr/lib/x86_64-linux-gnu
IN_LAB=("$ROOT/lib64/ld-linux-x86-64.so.2" --library-path "$LAB_LIB")

# make_image FOLDER FILE [OPTION…]: a read-only file system, the same bytes for the same files. Its size is what virtio-pmem takes.
make_image()
{
	local folder=$1 file=$2 size

	shift 2
	"${IN_LAB[@]}" "$ROOT/usr/bin/mkfs.erofs" --quiet -T0 -U 00000000-0000-0000-0000-000000000000 --all-root "$@" \
		"$file" "$folder" >/dev/null || return
	size=$(stat -c %s "$file")
	truncate -s "$(((size + (2 << 20) - 1) & ~((2 << 20) - 1)))" "$file"
}

# variant_config NAME: what a kernel that is built here is configured with, each option once: its own file holds against the one that
# it names ("# Over bare"), and that against config/base.
variant_config()
{
	local file=$VM_DIR/config/$1 under

	under=$(sed -n 's,^# Over ,,p' "$file")
	awk -F = '/^CONFIG_/ { if (!($1 in line)) order[++n] = $1; line[$1] = $0 }
		END { for (i = 1; i <= n; i++) print line[order[i]] }' "$VM_DIR/config/base" ${under:+"$VM_DIR/config/$under"} "$file"
}

variant_by_clang()
{
	grep -qx CONFIG_CC_IS_CLANG=y "$VM_DIR/config/$1"
}

# Names the configuration that such a kernel is made by.
variant_recipe()
{
	variant_config "$1" | sha256sum | cut -c1-16
}

variant_installed()
{
	[[ -e $LAB/kernels/$1/recipe-$(variant_recipe "$1") ]]
}

variant_ready()
{
	variant_installed "$1" && [[ -e $(initrd_path "$1") ]]
}

rt_ready()
{
	[[ -e $LAB/kernels/rt/vmlinux && -e $(initrd_path rt) ]]
}

clang_ready()
{
	compgen -G "$LAB/stamps/$CLANG-*" >/dev/null
}

# Make what is missing for these kernels.
lab_make()
{
	local name

	lab_ready || "$VM_DIR/lab" || return
	for name in "${KERNELS_BUILT[@]}"; do
		[[ " $* " != *" $name "* ]] || variant_ready "$name" || "$VM_DIR/lab" "--$name" || return
	done
	[[ " $* " != *" rt "* ]] || rt_ready || "$VM_DIR/lab" --rt
}

# Two locks. Who uses the lab (a build, a guest) holds "lock" shared; who replaces something in it holds it alone. The maker of
# the lab holds "gate" first, which users pass through: so new users cannot keep it waiting for ever.
lab_share()
{
	exec 6<"$LAB/gate" 9<"$LAB/lock"
	flock -s 6
	flock -s 9
	exec 6<&-
}

lab_gate()
{
	exec 6>"$LAB/gate"
	if ! flock -n 6; then
		say "another clone makes something in $LAB: waiting for it"
		flock 6
	fi
}

lab_alone()
{
	exec 9>"$LAB/lock"
	if ! flock -n 9; then
		say "builds or guests use $LAB, in which something has to be replaced: waiting for them to end"
		flock 9
	fi
}

# The RAM disk with this clone's init, for a kernel name.
initrd_path()
{
	printf '%s/kernels/%s/initrd-%s\n' "$LAB" "$1" "$(sha256sum <"$VM_DIR/init" | cut -c1-16)"
}

# Where this clone is built. The second word names how: what an older recipe built there is another folder's.
clone_dir()
{
	printf '%s/builds/%s\n' "$ROOT" "$(printf '%s at /build' "$TOP" | sha256sum | cut -c1-16)"
}
