# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Programs of Debian's that guests see only with `run --programs`. lab and run source this. The
# packages are unpacked, not installed, into an image of their own, which a guest mounts over the
# lab's root. So other guests do not see them, and the lab's root and its image do not change.

# Databases, message brokers, web servers and their clients.
PROGRAM_PACKAGES=(sqlite3 redis-server memcached postgresql-17 mosquitto mosquitto-clients beanstalkd nats-server lighttpd nginx
	apache2-utils haproxy iperf3)
# Compressors, codecs and images.
PROGRAM_PACKAGES+=(pigz lz4 7zip pbzip2 plzip graphicsmagick webp flac)
# Languages, and programs that compute.
PROGRAM_PACKAGES+=(lua5.4 ruby php8.4-cli guile-3.0 git ripgrep bc pari-gp stress-ng sysbench rt-tests)

# The name depends on the recipe and on the root's packages, since the image has the rest of what
# the programs need.
programs_image()
{
	printf '%s/programs-%s.img\n' "$LAB" "$({ declare -f programs_make; printf '%s\n' "${PROGRAM_PACKAGES[@]}"
		cat "$ROOT/var/lib/dpkg/status"; } | sha256sum | cut -c1-16)"
}

programs_ready()
{
	[[ -e $(programs_image) ]]
}

# Download what the root lacks for the programs, unpack it, and make the image. Files of these
# packages are only in /etc, /usr and /var. A folder /bin or /lib would hide the root's.
programs_make()
{
	local cache=/var/cache/memlat-programs deb folder image leave=() path

	image=$(programs_image)
	rm -rf "${ROOT:?}$cache"
	mkdir -p "$ROOT$cache/debs/partial" "$ROOT$cache/root"
	quietly in_root apt-get -qq -y --no-install-recommends --download-only -o "Dir::Cache::archives=$cache/debs/" \
		install "${PROGRAM_PACKAGES[@]}"
	for path in doc man locale info; do
		leave+=(--exclude "./usr/share/$path/*")
	done
	for deb in "$ROOT$cache"/debs/*.deb; do
		# shellcheck disable=SC2016	# expanded by the shell inside
		quietly in_root bash -o pipefail -ec 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" "${@:3}"' \
			bash "$cache/debs/${deb##*/}" "$cache/root" "${leave[@]}"
	done
	for folder in bin lib lib64 sbin; do
		[[ ! -e $ROOT$cache/root/$folder ]] || die 1 "a package has files in /$folder, which would hide the root's"
	done
	make_image "$ROOT$cache/root" "$image.new" || die 1 "could not make the image of the programs"
	rm -rf "${ROOT:?}$cache" "$LAB"/programs-*.img
	mv "$image.new" "$image"
}
