# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016	# commands are expanded where they run
#
# Programs that were not written for memlat, for test_programs.sh and selftests/judge. Most are Debian packages that
# selftests/vm/lab --programs unpacks for guests. The others are in the lab's root file system.
#
#	program NAME KIND PREPARE COMMAND
#
# PREPARE and COMMAND are run by bash in a folder of the program's own. COMMAND and everything that
# it starts is recorded. It does as much as a guest executes in a few seconds. $TEXT and $WAVES are
# files to work on.

PROGRAMS=()
declare -A PROGRAM_KIND=() PROGRAM_PREPARE=() PROGRAM_COMMAND=()

program()
{
	PROGRAMS+=("$1")
	PROGRAM_KIND[$1]=$2
	PROGRAM_PREPARE[$1]=$3
	PROGRAM_COMMAND[$1]=$4
}

# The functions below are for COMMAND.
#
# listens PORT: wait until a server listens on the port.
listens()
{
	local tries

	for ((tries = 0; tries < 400; tries++)); do
		(: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.05
	done
	return 1
}

# talk PORT END TEXT...: send each text and read until a line that begins with END.
talk()
{
	local port=$1 end=$2 line stream

	shift 2
	exec {stream}<>"/dev/tcp/127.0.0.1/$port" || return
	while (($#)); do
		printf '%b' "$1" >&"$stream"
		while IFS= read -r line <&"$stream"; do
			[[ $line != $end* ]] || break
		done
		shift
	done
	exec {stream}>&-
}

# clients N COMMAND...: run N of them at the same time.
clients()
{
	local n=$1 pids=()

	shift
	while ((n--)); do
		"$@" &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# many N WORD...: print the words N times.
many()
{
	local n=$1

	shift
	while ((n--)); do
		printf '%s\n' "$@"
	done
}

# programs_begin FOLDER: what the programs need, with the files that they work on in this folder.
programs_begin()
{
	export -f listens talk clients many
	export TEXT=$1/text WAVES=$1/waves
	cat /usr/include/linux/*.h 2>/dev/null | head -c 300000 >"$TEXT"
	head -c 150000 "$(command -v gcc)" >"$WAVES"
	chmod 755 "$1"
	ip link set lo up
}

# ------------------------------------------------------------------------------------------------------------ databases

program sqlite3 database '' 'sqlite3 :memory: "pragma threads=4; create table t(a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 2500)
	insert into t select x, x * 7919 % 1000 from c; create index i on t(b);
	select count(*), sum(a) from t where b < 500; select a from t order by b, a limit 1 offset 1000;"'
program redis database '' 'redis-server --port 7001 --save "" --io-threads 2 & listens 7001
	redis-benchmark -p 7001 -q -n 40 -c 4 -t set,get,incr,lpush; redis-cli -p 7001 shutdown nosave; wait'
program memcached database 'many 15 "set k 0 0 8\\r\\nabcdefgh\\r\\n" "get k\\r\\n" >requests' \
	'memcached -u root -t 4 -p 7002 -l 127.0.0.1 & server=$!; listens 7002; mapfile -t requests <requests
	get_and_set() { talk 7002 "[SE][TN][OD]" "${requests[@]}"; }; clients 4 get_and_set; kill $server; wait'
program postgres database 'chown 65534 .; cat >as <<<"exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$PWD PATH=/usr/lib/postgresql/17/bin:$PATH \"\$@\""
	sh as initdb -D db --no-sync >/dev/null && printf "port = 7003\nunix_socket_directories = \047%s\047\n" "$PWD" >>db/postgresql.conf
	sh as pg_ctl -D db -w -l log start && sh as pgbench -h "$PWD" -p 7003 -i -q postgres; sh as pg_ctl -D db -w stop' \
	'sh as postgres -D db & server=$!; listens 7003; sh as pgbench -h "$PWD" -p 7003 -c 4 -j 2 -t 6 postgres; kill -INT $server; wait'

# ----------------------------------------------------------------------------------------------------- brokers, servers

program mosquitto broker '' 'mosquitto -p 7004 & server=$!; listens 7004
	mosquitto_sub -p 7004 -t "#" -C 150 >got & reader=$!; sleep 1
	publish() { head -n 50 $TEXT | mosquitto_pub -p 7004 -t line -q 1 -l; }; clients 3 publish; wait $reader; kill $server; wait'
program nats broker 'many 20 "PUB x 8\\r\\nabcdefgh\\r\\nPING\\r\\n" >requests' \
	'GOMAXPROCS=4 nats-server -a 127.0.0.1 -p 7005 & server=$!; listens 7005; mapfile -t requests <requests
	publish() { talk 7005 PONG "SUB x 1\r\nPING\r\n" "${requests[@]}"; }; clients 4 publish; kill $server; wait'
program beanstalkd broker 'many 40 "put 0 0 9 8\\r\\nabcdefgh\\r\\n" "reserve\\r\\n" >requests' \
	'beanstalkd -l 127.0.0.1 -p 7006 & server=$!; listens 7006; mapfile -t requests <requests
	work() { talk 7006 "[IR][NE][S]E" "${requests[@]}"; }; clients 3 work; kill $server; wait'
program nginx "web server" 'mkdir logs; cp $TEXT page.txt; cat >nginx.conf <<<"user root; worker_processes 3; daemon off; error_log stderr; pid nginx.pid; events { }
	http { access_log logs/access; server { listen 127.0.0.1:7007; root $PWD; } }"' \
	'nginx -p $PWD -c nginx.conf & server=$!; listens 7007; ab -q -n 150 -c 8 http://127.0.0.1:7007/nginx.conf; kill $server; wait'
program lighttpd "web server" 'cat >conf <<<"server.document-root = \"$PWD\" server.port = 7008 server.bind = \"127.0.0.1\" server.max-worker = 3"' \
	'lighttpd -D -f conf & server=$!; listens 7008; ab -q -n 150 -c 8 http://127.0.0.1:7008/conf; kill $server; wait'
program haproxy "web server" 'cat >lighttpd.conf <<<"server.document-root = \"$PWD\" server.port = 7009 server.bind = \"127.0.0.1\""
	printf "%s\n" "global" " nbthread 4" "defaults" " mode http" " timeout connect 9s" " timeout client 9s" " timeout server 9s" \
		"frontend f" " bind 127.0.0.1:7010" " default_backend b" "backend b" " server s 127.0.0.1:7009" >conf' \
	'lighttpd -D -f lighttpd.conf & web=$!; haproxy -db -f conf & server=$!; listens 7009; listens 7010
	ab -q -n 40 -c 8 http://127.0.0.1:7010/conf; kill $server $web; wait'
program iperf3 network '' 'iperf3 -s -1 -p 7011 & listens 7011; iperf3 -s -1 -p 7012 & sleep 1; iperf3 -c 127.0.0.1 -p 7012 -P 4 -n 6M; kill %1; wait'

# ---------------------------------------------------------------------------------------------------- compressors, media

program pigz compressor '' 'pigz -p 4 -b 128 -c $TEXT >out'
program pbzip2 compressor '' 'pbzip2 -p4 -b1 -1 -c $TEXT >out'
program plzip compressor '' 'plzip -n 4 -1 -B 128KiB -c $TEXT >out'
program xz compressor '' 'xz -T4 -1 --block-size=131072 -c $TEXT >out'
program zstd compressor '' 'zstd -q -T4 -6 -B524288 -c $TEXT >out; zstd -q -d -c out >back'
program 7z compressor '' '7z a -mmt4 -mx3 out.7z $TEXT'
program lz4 compressor '' 'lz4 -q -T4 -9 -B4 -c $TEXT >out'
program graphicsmagick media '' 'OMP_NUM_THREADS=4 gm convert -size 96x96 plasma: -blur 0x2 -resize 128x128 out.png'
program cwebp media 'gm convert -size 200x200 plasma: in.png' 'cwebp -quiet -mt -m 4 in.png -o out.webp'
program flac media '' 'flac -s -j4 -5 --force-raw-format --endian=little --channels=2 --bps=16 --sample-rate=44100 --sign=signed -o out.flac $WAVES'

# -------------------------------------------------------------------------------------------------- languages, compilers

program make compiler 'for i in 1 2 3; do
		printf "struct s { int a[8]; };\nint f$i(struct s *s) { int t = 0; for (int i = 0; i < 8; i++) t += s->a[i] * $i; return t; }\n"
	done | split -l 2 --additional-suffix=.c - f; printf "all: faa.o fab.o fac.o\n" >Makefile' 'make -j4 CFLAGS=-O1'
program g++ compiler 'printf "template <int n> struct f { static const long v = f<n - 1>::v + n; };\ntemplate <> struct f<0> { static const long v = 0; };\nint main() { return f<200>::v; }\n" >a.cc' \
	'g++ -pipe -O1 -o a a.cc'
program python3 language 'printf "%s\n" "import threading" "total = 0" "lock = threading.Lock()" "def work():" "    global total" \
	"    for i in range(1500):" "        with lock:" "            total += i" "t = [threading.Thread(target=work) for _ in range(4)]" \
	"[x.start() for x in t]" "[x.join() for x in t]" "print(total)" >a.py' 'python3 -S a.py'
program perl language '' 'perl -e "fork; fork; my %h; while (<>) { \$h{\$_}++ for split } print scalar(keys %h), qq(\n); 1 while wait > 0" <(head -c 60000 $TEXT)'
program lua language '' 'lua5.4 -e "local t = {} for i = 1, 30000 do t[#t + 1] = (i * 7919) % 10007 end table.sort(t) print(t[1], #t)"'
program ruby language '' 'ruby --disable-gems -e "q = Queue.new; t = 4.times.map { Thread.new { 600.times { |i| q << i } } }; t.each(&:join); puts q.size"'
program php language '' 'php8.4 -n -r "\$a = []; for (\$i = 0; \$i < 12000; \$i++) \$a[] = md5(\$i); sort(\$a); echo \$a[0];"'
program guile language '' 'GUILE_AUTO_COMPILE=0 guile-3.0 --no-debug -c "(use-modules (ice-9 threads)) (display (n-par-map 4 (lambda (n) (let loop ((i 0) (s 0)) (if (< i 8000) (loop (1+ i) (+ s (* i n))) s))) (list 1 2 3 4)))"'

# ------------------------------------------------------------------------------------------------------- what computes

program gp mathematics '' 'gp -q -f --default nbthreads=4 <<<"default(parisizemax, 50000000); print(vecsum(parapply(n -> sum(i = 1, 3000, eulerphi(i + n)), [1, 2, 3, 4, 5, 6, 7, 8])))"'
program bc mathematics '' 'echo "scale = 300; 4 * a(1)" | bc -l'
program openssl mathematics '' 'openssl speed -multi 4 -seconds 1 -bytes 1024 sha256'
program sort tools '' 'sort --parallel=4 -S 8M $TEXT >out'
program awk tools '' 'awk "{ for (i = 1; i <= NF; i++) n[\$i]++ } END { print length(n) }" $TEXT'
program rg tools 'mkdir d; split -n 24 $TEXT d/' 'rg -j4 -c "struct [a-z]+_[a-z]+ " d'
program git tools 'git init -q . && split -n 40 $TEXT && git add x* && git -c user.name=a -c user.email=a@b commit -qm a' \
	'git -c pack.threads=4 repack -q -a -d -f'
program hackbench kernel '' 'hackbench -T -g 1 -f 4 -l 30'
program perf-bench kernel '' 'perf bench sched messaging -g 1 -l 10 -t; perf bench futex hash -t 4 -r 1 -f 64'
program stress-ng kernel '' 'stress-ng -q --futex 2 --pipe 2 --mutex 1 --timeout 1 --temp-path .'
program sysbench kernel '' 'sysbench mutex --threads=4 --mutex-num=4 --mutex-locks=300 --mutex-loops=50 run; sysbench threads --threads=4 --thread-yields=20 --thread-locks=2 --time=1 run'
