# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What lab, build and run have in common: where the laboratory is, how to print messages, and how to work inside it. They source
# this file.

# shellcheck disable=SC2034	# these are for the scripts that source this file
VM_DIR=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd -- "$VM_DIR/../.." && pwd -P)

# The Debian suite that each kernel name stands for. A number is the series of a stable suite; the newest one moves on.
declare -A KERNEL_SUITE=([6.1]=bookworm [6.12]=trixie [newest]=trixie-backports [rt]=trixie-backports)
# Suites that the root does not know. The one of such a kernel is only added while that kernel is fetched, because old suites leave
# the mirrors some day.
declare -A OLD_SUITE=([5.10]=bullseye)
# The lab always has KERNELS. It makes KERNELS_MORE when somebody asks for them: those that are built here, each from the file of
# its name in config/, and those that are fetched: rt, the suite's kernel with PREEMPT_RT, and old ones.
KERNELS=(6.1 6.12 newest)
KERNELS_BUILT=(debug kcfi bare signed)
KERNELS_FETCHED=(rt 5.10)
KERNELS_MORE=("${KERNELS_BUILT[@]}" "${KERNELS_FETCHED[@]}")

# `build --clang` compiles the module with this. The lab has it once somebody has asked for it.
CLANG=clang-19

# A script prints its name before each message of its own, so that nobody takes that for output of the guest.
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

# Print a name for these files. If the lab was not made by exactly these, something in it may have to be made again.
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

# The command with which enter_root found that it can work in the root.
ENTER=()

# enter_root [FOLDER]: find out how to work in the lab's root with /proc, which objtool reads, and /dev, which the kernel's
# makefiles use: by mounts, by mounts in a user namespace, or by proot in a container that allows neither. FOLDER, if there is one,
# is /build there, so that what is built has the same paths in each clone.
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

# Like in_root, in the way that enter_root has found.
in_build_root()
{
	env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		"${ENTER[@]}" "$@" </dev/null
}

# Print the release (uname -r) that a kernel name stands for in this lab.
kernel_release()
{
	cat "$LAB/kernels/$1/release"
}

# Was the lab made by this recipe?
lab_ready()
{
	[[ -e $LAB/stamps/all-$(lab_recipe) ]]
}

# Is this kernel one that is built here?
kernel_is_built()
{
	[[ " ${KERNELS_BUILT[*]} " == *" $1 "* ]]
}

# Does "run" know a kernel of this name?
kernel_is_known()
{
	[[ " ${KERNELS[*]} ${KERNELS_MORE[*]} " == *" $1 "* ]]
}

# A program of the lab's root is run by that root's own loader. Without chroot it needs no privilege, and finds the host's files.
LAB_LIB=$ROOT/usr/lib/x86_64-linux-gnu
IN_LAB=("$ROOT/lib64/ld-linux-x86-64.so.2" --library-path "$LAB_LIB")

# make_image FOLDER FILE [OPTION…]: make a read-only file system, which has the same bytes whenever the files are the same. Its size
# is a multiple of what virtio-pmem needs.
make_image()
{
	local folder=$1 file=$2 size

	shift 2
	"${IN_LAB[@]}" "$ROOT/usr/bin/mkfs.erofs" --quiet -T0 -U 00000000-0000-0000-0000-000000000000 --all-root "$@" \
		"$file" "$folder" >/dev/null || return
	size=$(stat -c %s "$file")
	truncate -s "$(((size + (2 << 20) - 1) & ~((2 << 20) - 1)))" "$file"
}

# variant_config NAME: print the configuration of a kernel that is built here, each option once. An option in its own file overrides
# the file that it names ("# Over bare"), and that one overrides config/base.
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

# variant_recipe NAME: print a name for the configuration of such a kernel.
variant_recipe()
{
	variant_config "$1" | sha256sum | cut -c1-16
}

# Are the kernel's headers in the root? A root that is made anew has only those of the kernels that it is made with.
kernel_has_headers()
{
	[[ -e $LAB/kernels/$1/release && -d $ROOT/usr/src/linux-headers-$(kernel_release "$1") ]]
}

variant_installed()
{
	[[ -e $LAB/kernels/$1/recipe-$(variant_recipe "$1") ]] && kernel_has_headers "$1"
}

variant_ready()
{
	variant_installed "$1" && [[ -e $(initrd_path "$1") ]]
}

# Is this kernel one that is fetched when somebody asks for it?
kernel_is_fetched()
{
	[[ " ${KERNELS_FETCHED[*]} " == *" $1 "* ]]
}

fetched_ready()
{
	[[ -e $LAB/kernels/$1/vmlinux && -e $(initrd_path "$1") ]] && kernel_has_headers "$1"
}

rpm_ready()
{
	lab_ready && compgen -G "$LAB/stamps/rpm-*" >/dev/null
}

clang_ready()
{
	compgen -G "$LAB/stamps/$CLANG-*" >/dev/null
}

# lab_make KERNEL...: make what the lab lacks for these kernels.
lab_make()
{
	local name

	lab_ready || "$VM_DIR/lab" || return
	for name in "${KERNELS_BUILT[@]}"; do
		[[ " $* " != *" $name "* ]] || variant_ready "$name" || "$VM_DIR/lab" "--$name" || return
	done
	for name in "${KERNELS_FETCHED[@]}"; do
		[[ " $* " != *" $name "* ]] || fetched_ready "$name" || "$VM_DIR/lab" "--$name" || return
	done
}

# There are two locks. Whoever uses the lab (a build or a guest) holds "lock" shared, and whoever replaces something in it holds it
# alone. The maker of the lab takes "gate" first, through which all new users pass, so that they cannot keep it waiting for ever.
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

# Print the name of the RAM disk that has this clone's init, for a kernel.
initrd_path()
{
	printf '%s/kernels/%s/initrd-%s\n' "$LAB" "$1" "$(sha256sum <"$VM_DIR/init" | cut -c1-16)"
}

# Print the folder in which this clone is built. "at /build" says how, because older recipes built in folders of other names.
clone_dir()
{
	printf '%s/builds/%s\n' "$ROOT" "$(printf '%s at /build' "$TOP" | sha256sum | cut -c1-16)"
}
