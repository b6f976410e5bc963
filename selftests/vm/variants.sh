# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How the lab makes kernels of its own: built from the packaged source with config/base and a file for each. Sourced by lab.
#
# The source is unpacked without what such a configuration cannot reach, compiled in the lab's root, and thinned out to what building
# a module against it needs. An interrupted build goes on where it was.

# What compiles a kernel, beyond what compiles a module; openssl makes the key that signs modules.
VARIANT_PACKAGES=(flex bison bc openssl)

# Drivers and the like whose sources are never compiled here; their Kconfig and Makefile stay. Half of the source.
VARIANT_LEFT_OUT=('*/drivers/gpu/*.[ch]' '*/drivers/net/*/*.[ch]' '*/drivers/media/*.[ch]' '*/drivers/infiniband/*.[ch]'
	'*/drivers/scsi/*.[ch]' '*/drivers/staging/*.[ch]' '*/sound/*/*.[ch]' '*/Documentation/*/*.rst' '*/tools/testing/*'
	'*/arch/*/*.dts*')

# variant_dir NAME: in the lab's root, while it is built.
variant_dir()
{
	printf '/var/cache/memlat-%s\n' "$1"
}

# Does the configuration have all that was asked for? What kconfig drops it drops silently.
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

# variant_make NAME ARGUMENT…: make, in its source.
variant_make()
{
	local name=$1 compiler=()

	shift
	! variant_by_clang "$name" || compiler=("CC=$CLANG")
	quietly in_build_root nice -n 5 make -s -j"$(nproc)" -C "$(variant_dir "$name")/tree" \
		KBUILD_BUILD_USER=memlat KBUILD_BUILD_HOST=lab "${compiler[@]}" "$@"
}

# The packaged source, configured.
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

# Unpacked and compiled, in a folder of its own; an interrupted build goes on.
variant_compile()
{
	local name=$1 dir

	dir=$(variant_dir "$name")
	enter_root
	if [[ ! -d $ROOT$dir/tree ]] || ! cmp -s <(variant_config "$name") "$ROOT$dir/config"; then
		# Packages are installed.
		lab_gate
		variant_unpack "$name"
		exec 6>&-
	fi
	lab_share
	variant_make "$name" bzImage modules
	variant_make "$name" "INSTALL_MOD_PATH=$dir/modules" modules_install
	exec 9<&-
}

# What was compiled becomes the lab's, and what a module is not built with goes.
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
	# Whoever builds for the old one, or boots it, comes to an end first.
	[[ ! -d $LAB/kernels/$name ]] || lab_alone
	rm -rf "$headers" "$ROOT/lib/modules/$release" "$LAB/kernels/$name"
	mv "$tree" "$headers"
	mv "$dir/modules/lib/modules/$release" "$ROOT/lib/modules/"
	rm -f "$ROOT/lib/modules/$release/build"
	mv "$new" "$LAB/kernels/$name"
	# What clones built for the old one.
	rm -f "$ROOT"/builds/*/module-"$name"*.done
	rm -rf "$dir"
}
