# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Programs of Debian's that guests see only when `run --programs` asks for them: sourced by lab and run. They are unpacked and not
# installed, into an image of their own, which a guest lays over the lab's root. So no other guest sees them, and the lab's
# root and its image stay as they are.

# Databases, message brokers, web servers and their clients …
PROGRAMS=(sqlite3 redis-server memcached postgresql-17 mosquitto mosquitto-clients beanstalkd nats-server lighttpd nginx apache2-utils
	haproxy iperf3)
# … compressors, codecs, images …
PROGRAMS+=(pigz lz4 7zip pbzip2 plzip graphicsmagick webp flac)
# … languages, and what computes.
PROGRAMS+=(lua5.4 ruby php8.4-cli guile-3.0 erlang-base git ripgrep bc pari-gp stress-ng sysbench rt-tests)

programs_image()
{
	printf '%s/programs-%s.img\n' "$LAB" "$(printf '%s\n' "$(declare -f programs_make)" "${PROGRAMS[@]}" | sha256sum | cut -c1-16)"
}

programs_ready()
{
	[[ -e $(programs_image) ]]
}

# Download what the root lacks for them, unpack it, make the image. Packages of these suites have nothing outside /etc, /usr and /var:
# a folder /bin or /lib would hide the root's.
programs_make()
{
	local cache=/var/cache/memlat-programs deb image

	image=$(programs_image)
	rm -rf "${ROOT:?}$cache"
	mkdir -p "$ROOT$cache/debs/partial" "$ROOT$cache/root"
	quietly in_root apt-get -qq -y --no-install-recommends --download-only -o "Dir::Cache::archives=$cache/debs/" install "${PROGRAMS[@]}"
	for deb in "$ROOT$cache"/debs/*.deb; do
		# shellcheck disable=SC2016	# expanded by the shell inside
		quietly in_root sh -ec 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --exclude="./usr/share/doc/*" --exclude="./usr/share/man/*" --exclude="./usr/share/locale/*" --exclude="./usr/share/info/*"' \
			sh "$cache/debs/${deb##*/}" "$cache/root"
	done
	for deb in bin lib lib64 sbin; do
		[[ ! -e $ROOT$cache/root/$deb ]] || die 1 "a package has files in /$deb, which would hide the root's"
	done
	make_image "$ROOT$cache/root" "$image.new" || die 1 "could not make the image of the programs"
	rm -rf "${ROOT:?}$cache" "$LAB"/programs-*.img
	mv "$image.new" "$image"
}
