# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How the lab makes the debug kernel: built from the packaged source with debug.config. Sourced by lab.
#
# The source is unpacked without what this configuration cannot reach, compiled in the lab's root, and thinned out to what building
# a module against it needs. An interrupted build goes on where it was.

# In the lab's root, while it is built.
DEBUG_DIR=/var/cache/memlat-debug

# What compiles a kernel, beyond what compiles a module.
DEBUG_PACKAGES=(flex bison bc)

# Drivers and the like whose sources are never compiled here; their Kconfig and Makefile stay. Half of the source.
DEBUG_LEFT_OUT=('*/drivers/gpu/*.[ch]' '*/drivers/net/*/*.[ch]' '*/drivers/media/*.[ch]' '*/drivers/infiniband/*.[ch]'
	'*/drivers/scsi/*.[ch]' '*/drivers/staging/*.[ch]' '*/sound/*/*.[ch]' '*/Documentation/*/*.rst' '*/tools/testing/*'
	'*/arch/*/*.dts*')

# Does the configuration have all that debug.config asks for? What kconfig drops it drops silently.
debug_config_kept()
{
	local line option lost=()

	while IFS= read -r line; do
		option=${line%%=*}
		if [[ $line == *=n ]]; then
			! grep -q "^$option=" "$1/.config" || lost+=("$line")
		elif [[ $line == CONFIG_* ]]; then
			grep -qxF "$line" "$1/.config" || lost+=("$line")
		fi
	done <"$VM_DIR/debug.config"
	((${#lost[@]} == 0)) || die 1 "this kernel's configuration does not take ${lost[*]}"
}

# The packaged source, configured.
debug_unpack()
{
	local dir=$DEBUG_DIR package version

	apt_ready
	quietly in_root apt-get -qq -y --no-install-recommends install "${DEBUG_PACKAGES[@]}"
	version=$(package_version linux-source trixie-backports)
	package=$(package_depends "linux-source=$version" 'linux-source-[0-9].*')
	[[ -n $package ]] || die 1 "trixie-backports has no linux-source, which the debug kernel is built from"
	say "       from $package $version"
	rm -rf "${ROOT:?}$dir"
	mkdir -p "$ROOT$dir/tree"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root sh -c 'cd "$1" && apt-get -qq -o APT::Sandbox::User=root download "$2"' - "$dir" "$package=$version"
	# shellcheck disable=SC2016	# expanded by the shell inside
	quietly in_root bash -o pipefail -c 'cd "$1" && shift && dpkg-deb --fsys-tarfile *.deb |
		tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" | xz -dc -T0 |
		tar -x -C tree --strip-components=1 --wildcards "$@"' - "$dir" "${DEBUG_LEFT_OUT[@]/#/--exclude=}"
	rm -f "$ROOT$dir"/*.deb
	cp "$VM_DIR/debug.config" "$ROOT$dir/tree/memlat.config"
	debug_make "$dir/tree" KCONFIG_ALLCONFIG=memlat.config allnoconfig
	debug_config_kept "$ROOT$dir/tree"
	printf '%s\n' "$version" >"$ROOT$dir/version"
	cp "$VM_DIR/debug.config" "$ROOT$dir/config"
}

debug_make()
{
	quietly in_build_root nice -n 5 make -s -j"$(nproc)" -C "$1" KBUILD_BUILD_USER=memlat KBUILD_BUILD_HOST=lab "${@:2}"
}

# Unpacked and compiled, in a folder of its own; an interrupted build goes on.
debug_compile()
{
	local tree=$DEBUG_DIR/tree

	enter_root
	if [[ ! -d $ROOT$tree ]] || ! cmp -s "$VM_DIR/debug.config" "$ROOT$DEBUG_DIR/config"; then
		# Packages are installed.
		lab_gate
		debug_unpack
		exec 6>&-
	fi
	lab_share
	debug_make "$tree" bzImage modules
	debug_make "$tree" "INSTALL_MOD_PATH=$DEBUG_DIR/modules" modules_install
	exec 9<&-
}

# What was compiled becomes the lab's, and what a module is not built with goes.
debug_install()
{
	local new=$LAB/kernels/debug.new tree=$ROOT$DEBUG_DIR/tree release headers

	release=$(cat "$tree/include/config/kernel.release")
	headers=$ROOT/usr/src/linux-headers-$release
	rm -rf "$new"
	mkdir -p "$new"
	cp "$tree/arch/x86/boot/bzImage" "$new/vmlinuz"
	cp "$ROOT$DEBUG_DIR/version" "$new/version"
	printf '%s\n' "$release" >"$new/release"
	: >"$new/recipe-$(debug_recipe)"
	# Makefiles, headers, scripts and objtool stay.
	find "$tree" -type f \( -name '*.[oaS]' -o -name '*.c' -o -name '*.rs' -o -name '.*.cmd' -o -name vmlinux \
		-o -name vmlinux.unstripped -o -name bzImage \) -not -path '*/scripts/*' -not -path '*/tools/*' -delete
	# Whoever builds for the old one, or boots it, comes to an end first.
	[[ ! -d $LAB/kernels/debug ]] || lab_alone
	rm -rf "$headers" "$ROOT/lib/modules/$release" "$LAB/kernels/debug"
	mv "$tree" "$headers"
	mv "$ROOT$DEBUG_DIR/modules/lib/modules/$release" "$ROOT/lib/modules/"
	rm -f "$ROOT/lib/modules/$release/build"
	mv "$new" "$LAB/kernels/debug"
	# What clones built for the old one.
	rm -f "$ROOT"/builds/*/module-debug.done
	rm -rf "${ROOT:?}$DEBUG_DIR"
}
