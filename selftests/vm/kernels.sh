# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The lab's steps for kernels: image, headers, initial RAM disk, and the kselftest harness. lab sources this file.
#
# Packages are unpacked and not installed, because installing a kernel needs a maker of RAM disks and the boot loader's hooks, and
# most of its modules are for hardware that no guest has.

# The modules that a guest loads to reach its files and its ports. Their dependencies are added.
GUEST_MODULES=(virtio_pci virtio_console virtio_pmem nd_pmem erofs overlay)

# tar's patterns of the modules that are kept: those above, what they depend on, and what tests may load.
MODULE_FILES=('*/modules.order' '*/modules.builtin' '*/modules.builtin.modinfo' '*/kernel/drivers/virtio/*'
	'*/kernel/drivers/char/virtio_console.ko*' '*/kernel/drivers/nvdimm/*' '*/kernel/fs/erofs/*' '*/kernel/fs/netfs/*'
	'*/kernel/fs/fscache/*' '*/kernel/fs/cachefiles/*' '*/kernel/fs/overlayfs/*' '*/kernel/lib/*' '*/kernel/crypto/*'
	'*/kernel/arch/x86/crypto/*' '*/kernel/arch/x86/lib/*' '*/kernel/arch/x86/kernel/msr.ko*'
	'*/kernel/arch/x86/kernel/cpuid.ko*')

# package_version PACKAGE SUITE: print the version that the suite has.
package_version()
{
	in_root apt-cache madison "$1" | awk -F ' *[|] *' -v suite=" $2/main " 'index($3, suite) { print $2; exit }'
}

# package_depends PACKAGE=VERSION REGEX: print the first dependency whose whole name matches.
package_depends()
{
	# shellcheck disable=SC2020	# two characters, each to a line end
	in_root apt-cache show "$1" | sed -n 's/^\(Pre-\)\?Depends: //p' | tr ',|' '\n\n' |
		awk -v re="^($2)\$" '$1 ~ re { print $1 }' | sort -u
}

# Set release, version, image_packages and header_packages to what a kernel name stands for today.
kernel_resolve()
{
	local name=$1 suite=${KERNEL_SUITE[$1]:-${OLD_SUITE[$1]:-}} flavour=amd64 image headers

	[[ $name != rt ]] || flavour=rt-amd64
	version=$(package_version "linux-image-$flavour" "$suite")
	[[ -n $version ]] || die 1 "$suite has no linux-image-$flavour, which kernel $name is made from"
	image=$(package_depends "linux-image-$flavour=$version" 'linux-image-[0-9].*')
	headers=$(package_depends "linux-headers-$flavour=$version" 'linux-headers-[0-9].*')
	[[ -n $image && -n $headers ]] ||
		die 1 "linux-image-$flavour or linux-headers-$flavour $version of $suite names no kernel package"
	release=${image#linux-image-}
	# Newer suites have split the image into three packages.
	mapfile -t image_packages < <(package_depends "$image=$version" 'linux-(base|binary|modules)-[0-9].*')
	((${#image_packages[@]} > 1)) || image_packages=("$image")
	mapfile -t header_packages < <(package_depends "$headers=$version" 'linux-(headers|kbuild)-[0-9].*')
	header_packages+=("$headers")
}

# unpack PACKAGE-FILE TAR-OPTION…: unpack into the root, but do not replace its links to folders (usr-merge).
unpack()
{
	local file=$1

	shift
	# shellcheck disable=SC2016	# expanded by the shell inside
	in_root bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" | tar -x -C / --keep-directory-symlink "${@:2}"' - "$file" "$@"
}

# unpack_kernel FILE: print the ELF image that a bzImage of the root contains. Its header says where that is
# (Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length). The unpacked size follows the payload.
unpack_kernel()
{
	local file=$1 sectors offset length how

	sectors=$(od -An -tu1 -j$((0x1f1)) -N1 "$file")
	read -r offset length < <(od -An -tu4 -j$((0x248)) -N8 "$file")
	offset=$(((sectors + 1) * 512 + offset))
	case $(od -An -tx1 -j$offset -N4 "$file") in
	' 28 b5 2f fd') how=zstd ;;
	' fd 37 7a 58') how=xz ;;
	*) die 1 "$file: a kernel that is packed neither by zstd nor by xz" ;;
	esac
	# shellcheck disable=SC2016	# expanded by the shell inside
	in_root sh -c 'tail -c +"$2" "$1" | head -c "$3" | "$4" -dc' - "${file#"$ROOT"}" $((offset + 1)) $((length - 4)) $how
}

step_kernel()
{
	local name=$1 dir=$LAB/kernels/$1 new=$LAB/kernels/$1.new
	local release version image_packages header_packages file image dl=/var/cache/memlat-$1

	apt_ready
	kernel_resolve "$name"
	say "       $name is $release ($version)"
	mkdir -p "$ROOT$dl"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root sh -c 'cd "$1" && shift && apt-get -qq -o APT::Sandbox::User=root download "$@"' - "$dl" \
		"${image_packages[@]/%/=$version}" "${header_packages[@]}"
	for file in "$ROOT$dl"/*.deb; do
		file=${file#"$ROOT"}
		case $file in
		*/linux-image-* | */linux-binary-* | */linux-modules-* | */linux-base-*)
			# tar fails if a package has no file for one of the patterns. What is needed is checked below.
			unpack "$file" --wildcards './boot/vmlinuz-*' '*/modules/*/vmlinuz' "${MODULE_FILES[@]}" 2>/dev/null || true
			;;
		*)
			unpack "$file"
			;;
		esac
	done
	rm -rf "${ROOT:?}$dl"
	image=
	for file in "$ROOT/boot/vmlinuz-$release" "$ROOT/lib/modules/$release/vmlinuz"; do
		[[ ! -s $file ]] || image=$file
	done
	[[ -n $image ]] || die 1 "the packages of kernel $release hold no vmlinuz"
	[[ -d $ROOT/usr/src/linux-headers-$release ]] || die 1 "the packages of kernel $release hold no headers"
	in_root find "/lib/modules/$release/" -name '*.ko.xz' -exec xz -d -f {} +
	in_root find "/lib/modules/$release/" -name '*.ko.zst' -exec zstd -q -d -f --rm {} +
	quietly in_root depmod "$release"
	rm -rf "$new"
	mkdir -p "$new"
	unpack_kernel "$image" >"$new/vmlinux" || die 1 "kernel $release does not unpack"
	mv "$image" "$new/vmlinuz"
	printf '%s\n' "$release" >"$new/release"
	printf '%s\n' "$version" >"$new/version"
	rm -rf "$dir"
	mv "$new" "$dir"
	rm -f "$LAB/stamps/initrd-$name"-*
}

# Make a RAM disk of busybox, the modules in the order in which they are loaded, and init.
step_initrd()
{
	local name=$1 initrd stage=/var/cache/memlat-initrd-$1 release module needs

	initrd=$(initrd_path "$name")
	release=$(kernel_release "$name")
	rm -rf "${ROOT:?}$stage"
	mkdir -p "$ROOT$stage"/{bin,modules,dev,proc,sys,lower,run,rw,newroot}
	cp "$ROOT/bin/busybox" "$ROOT$stage/bin/"
	cp "$VM_DIR/init" "$ROOT$stage/init"
	chmod 755 "$ROOT$stage/init"
	for module in "${GUEST_MODULES[@]}"; do
		# modprobe prints "insmod /lib/modules/…/x.ko", dependencies first. A built-in module has no file.
		needs=$(in_root modprobe -S "$release" --show-depends "$module") ||
			die 1 "kernel $release has no $module, which a guest needs"
		sed -n 's/^insmod \([^ ]*\).*/\1/p' <<<"$needs"
	done | awk '!seen[$0]++' >"$ROOT$stage/modules/list"
	while read -r module; do
		cp "$ROOT$module" "$ROOT$stage/modules/"
	done <"$ROOT$stage/modules/list"
	sed -i 's,.*/,,' "$ROOT$stage/modules/list"
	# strip removes the signature, too. To verify one, an emulated CPU executes 100 million instructions.
	# shellcheck disable=SC2016	# expanded by the shell inside
	[[ ! -s $ROOT$stage/modules/list ]] || quietly in_root sh -c 'strip --strip-debug "$1"/modules/*.ko' - "$stage"
	# shellcheck disable=SC2016	# expanded by the shell inside
	in_root bash -o pipefail -c 'cd "$1" && find . -print0 | sort -z | cpio --quiet -0 -o -H newc -R 0:0' - "$stage" \
		>"$initrd.new"
	mv "$initrd.new" "$initrd"
	rm -rf "${ROOT:?}$stage"
}

# fetch_perf NAME: an old kernel's own perf, with the libraries that the root does not have. A newer perf asks old kernels for what they
# do not know (that of 7.3 asks 5.10 for PERF_SAMPLE_WEIGHT_STRUCT).
fetch_perf()
{
	local version perf dl=/var/cache/memlat-perf new=$LAB/kernels/$1/perf.new file

	version=$(package_version linux-perf "${OLD_SUITE[$1]}")
	perf=$(package_depends "linux-perf=$version" 'linux-perf-[0-9].*')
	[[ -n $perf ]] || die 1 "linux-perf of ${OLD_SUITE[$1]} names no perf"
	rm -rf "${ROOT:?}$dl" "$new"
	mkdir -p "$ROOT$dl" "$new/lib"
	# shellcheck disable=SC2016,SC2046	# expanded by the shell inside; names of packages
	quietly in_root sh -c 'cd "$1" && shift && apt-get -qq -o APT::Sandbox::User=root download "$@" &&
		for file in *.deb; do dpkg-deb -x "$file" . || exit; done' - "$dl" "$perf" $(package_depends "$perf" 'lib[^c].*')
	for file in "$ROOT$dl"/usr/lib/x86_64-linux-gnu/lib*.so.*; do
		[[ -e $ROOT/usr/lib/x86_64-linux-gnu/${file##*/} ]] || cp -a "$file" "$new/lib/"
	done
	mkdir "$new/bin"
	cp "$ROOT$dl"/usr/bin/perf_* "$new/perf"
	printf '#!/bin/sh\nLD_LIBRARY_PATH=/run/vm/perf/lib exec /run/vm/perf/perf "$@"\n' >"$new/bin/perf"
	chmod 755 "$new/bin/perf"
	rm -rf "${ROOT:?}$dl"
	mv "$new" "${new%.new}"
}

# Fetch a kernel of KERNELS_FETCHED. Its suite, if the root does not know it, comes from where bookworm comes from.
fetch_kernel()
{
	local name=$1 list=$ROOT/etc/apt/sources.list.d/memlat-old.list

	if [[ -n ${OLD_SUITE[$1]:-} ]]; then
		sed -n "s/ bookworm main\$/ ${OLD_SUITE[$1]} main/p" "$ROOT/etc/apt/sources.list" >"$list"
		rm -f "$ROOT/var/lib/apt/lists-complete"
	fi
	step_kernel "$name"
	[[ -z ${OLD_SUITE[$1]:-} ]] || fetch_perf "$name"
	step_initrd "$name"
	rm -f "$list"
}

# The kselftest harness and checkpatch are in no package but the kernel's source. Keep nothing else of it.
step_kselftest()
{
	local dl=/var/cache/memlat-source package version

	apt_ready
	package=$(in_root apt-cache pkgnames linux-source- | grep -x 'linux-source-7\.2') ||
		package=$(package_depends "linux-source=$(package_version linux-source trixie-backports)" 'linux-source-[0-9].*')
	[[ -n $package ]] || die 1 "trixie-backports has no linux-source package, which holds the kselftest harness"
	version=$(package_version "$package" trixie-backports)
	rm -rf "${ROOT:?}$dl"
	mkdir -p "$ROOT$dl/out"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root sh -c 'cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "$2"' - "$dl" "$package=$version"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root bash -o pipefail -c 'cd "$1" && dpkg-deb --fsys-tarfile *.deb | tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" |
		xz -dc -T0 | tar -x -C out --transform "s,^[^/]*/tools/testing/selftests/,," --transform "s,^[^/]*/scripts/,scripts/," --wildcards \
			"*/scripts/checkpatch.pl" "*/scripts/spelling.txt" "*/scripts/const_structs.checkpatch" \
			"*/tools/testing/selftests/lib.mk" "*/tools/testing/selftests/kselftest*.h" \
			"*/tools/testing/selftests/kselftest" "*/tools/testing/selftests/run_kselftest.sh"' - "$dl"
	[[ -s $ROOT$dl/out/kselftest_harness.h ]] || die 1 "$package $version holds no kselftest_harness.h"
	rm -rf "$LAB/kselftest" "$ROOT/usr/src/kselftest"
	rm -rf "$ROOT/usr/src/scripts"
	mv "$ROOT$dl/out/scripts" "$ROOT/usr/src/scripts"
	mv "$ROOT$dl/out" "$ROOT/usr/src/kselftest"
	ln -s root/usr/src/kselftest "$LAB/kselftest"
	rm -rf "${ROOT:?}$dl"
}
