# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How the lab builds kernels of its own, from the packaged source with config/base and a file for
# each kernel. Sourced by lab.
#
# The source is unpacked without what such a configuration cannot reach, compiled in the lab's root,
# and reduced to what building a module against it needs. An interrupted build is continued by the
# next.

# What compiling a kernel needs in addition to compiling a module. openssl makes the key that signs
# modules.
VARIANT_PACKAGES=(flex bison bc openssl)

# Sources of drivers and the like that are never compiled here, which are half of all. Their Kconfig
# and Makefile stay.
VARIANT_LEFT_OUT=('*/drivers/gpu/*.[ch]' '*/drivers/net/*/*.[ch]' '*/drivers/media/*.[ch]' '*/drivers/infiniband/*.[ch]'
	'*/drivers/scsi/*.[ch]' '*/drivers/staging/*.[ch]' '*/sound/*/*.[ch]' '*/Documentation/*/*.rst' '*/tools/testing/*'
	'*/arch/*/*.dts*')

# variant_dir NAME: print the folder in the lab's root in which the kernel is built.
variant_dir()
{
	printf '/var/cache/memlat-%s\n' "$1"
}

# Check that the configuration has all that was asked for, because kconfig drops options silently.
variant_config_kept()
{
	local line option lost=()

	while IFS= read -r line; do
		option=${line%%=*}
		if [[ $line == *=n ]]; then
			! grep -q "^$option=" "$2/.config" || lost+=("$line")
		else
			grep -qxF "$line" "$2/.config" || lost+=("$line")
		fi
	done < <(variant_config "$1")
	((${#lost[@]} == 0)) || die 1 "the configuration of kernel $1 does not take ${lost[*]}"
}

# variant_make NAME ARGUMENT…: run make in the kernel's source.
variant_make()
{
	local name=$1 compiler=()

	shift
	! variant_by_clang "$name" || compiler=("CC=$CLANG")
	quietly in_build_root nice -n 5 make -s -j"$(nproc)" -C "$(variant_dir "$name")/tree" \
		KBUILD_BUILD_USER=memlat KBUILD_BUILD_HOST=lab "${compiler[@]}" "$@"
}

# Unpack and configure the packaged source.
variant_unpack()
{
	local name=$1 dir package version

	dir=$(variant_dir "$name")
	apt_ready
	quietly in_root apt-get -qq -y --no-install-recommends install "${VARIANT_PACKAGES[@]}"
	version=$(package_version linux-source trixie-backports)
	package=$(package_depends "linux-source=$version" 'linux-source-[0-9].*')
	[[ -n $package ]] || die 1 "trixie-backports has no linux-source, which kernel $name is built from"
	say "       from $package $version"
	rm -rf "${ROOT:?}$dir"
	mkdir -p "$ROOT$dir/tree"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root sh -c 'cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "$2"' - "$dir" "$package=$version"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root bash -o pipefail -c 'cd "$1" && shift && dpkg-deb --fsys-tarfile *.deb |
		tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" | xz -dc -T0 |
		tar -x -C tree --strip-components=1 --wildcards "$@"' - "$dir" "${VARIANT_LEFT_OUT[@]/#/--exclude=}"
	rm -f "$ROOT$dir"/*.deb
	variant_config "$name" >"$ROOT$dir/tree/memlat.config"
	variant_make "$name" KCONFIG_ALLCONFIG=memlat.config allnoconfig
	variant_config_kept "$name" "$ROOT$dir/tree"
	printf '%s\n' "$version" >"$ROOT$dir/version"
	variant_config "$name" >"$ROOT$dir/config"
}

# Unpack and compile the kernel in a folder of its own. An interrupted build is continued.
variant_compile()
{
	local name=$1 dir

	dir=$(variant_dir "$name")
	enter_root
	if [[ ! -d $ROOT$dir/tree ]] || ! cmp -s <(variant_config "$name") "$ROOT$dir/config"; then
		# This installs packages, so whoever else makes something in the lab has to wait.
		lab_gate
		variant_unpack "$name"
		exec 6>&-
	fi
	lab_share
	variant_make "$name" bzImage modules
	variant_make "$name" "INSTALL_MOD_PATH=$dir/modules" modules_install
	exec 9<&-
}

# Move the compiled kernel into the lab, and remove what building a module does not need.
variant_install()
{
	local name=$1 new=$LAB/kernels/$1.new dir tree release headers

	dir=$ROOT$(variant_dir "$name")
	tree=$dir/tree
	release=$(cat "$tree/include/config/kernel.release")
	headers=$ROOT/usr/src/linux-headers-$release
	rm -rf "$new"
	mkdir -p "$new"
	cp "$tree/arch/x86/boot/bzImage" "$new/vmlinuz"
	cp "$dir/version" "$new/version"
	printf '%s\n' "$release" >"$new/release"
	: >"$new/recipe-$(variant_recipe "$name")"
	# Makefiles, headers, scripts, objtool and the key for modules stay.
	find "$tree" -type f \( -name '*.[oaS]' -o -name '*.c' -o -name '*.rs' -o -name '.*.cmd' -o -name vmlinux \
		-o -name vmlinux.unstripped -o -name bzImage \) -not -path '*/scripts/*' -not -path '*/tools/*' -delete
	# Wait for builds and guests that use the old kernel.
	[[ ! -d $LAB/kernels/$name ]] || lab_alone
	rm -rf "$headers" "$ROOT/lib/modules/$release" "$LAB/kernels/$name"
	mv "$tree" "$headers"
	mv "$dir/modules/lib/modules/$release" "$ROOT/lib/modules/"
	rm -f "$ROOT/lib/modules/$release/build"
	mv "$new" "$LAB/kernels/$name"
	# Remove what clones built for the old kernel.
	rm -f "$ROOT"/builds/*/module-"$name"*.done
	rm -rf "$dir"
}
