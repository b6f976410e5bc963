#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: scrape.py OPENMETRICS PROM_FOLDER DASHBOARD

A real Prometheus scrapes the file OPENMETRICS from a web server, and a real node_exporter whose
textfile collector reads PROM_FOLDER. Prints the totals that Prometheus then has from each of them,
and complains about each query of the dashboard that finds nothing.
"""
import functools
import http.server
import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

PATIENCE = 120  # seconds, for a host that is busy; what comes sooner is not waited for
# These have no value if the session did not count its cycles.
MAY_BE_EMPTY = ("busy_cycles", "changes(")
# Only a live session has these, and the profiles are stored. test_ctl_export knows their names.
ONLY_LIVE = ("memlat_session_ended_total", "memlat_start_refused_total", "memlat_keeper_lost_total",
             "memlat_session_away_seconds_total")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Metrics(http.server.BaseHTTPRequestHandler):
    def __init__(self, path, *args):
        self.path_of_metrics = path
        super().__init__(*args)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.end_headers()
        with open(self.path_of_metrics, "rb") as file:
            self.wfile.write(file.read())

    def log_message(self, *args):
        pass


def ask(port, query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except (OSError, ValueError) as error:
        # "Unavailable" means that it is still starting.
        if isinstance(error, urllib.error.HTTPError) and error.code != 503:
            sys.exit(f"{query}: {error.read().decode()}")
        return []


def total(port, job, query):
    found = ask(port, query.replace("JOB", f'job="{job}"'))
    return int(float(found[0]["value"][1])) if found else None


def totals(port, job):
    return [total(port, job, query) for query in (
        "memlat_waited_cycles_total{JOB}", 'memlat_samples_total{JOB,type="load"}',
        'sum(memlat_load_latency_cycles_count{JOB,source=~"l3_hitm|rhitm"})',
        'memlat_samples_total{JOB,type="store"}')]


def dashboard_queries(path):
    with open(path, encoding="utf-8") as file:
        dashboard = json.load(file)
    for panel in dashboard["panels"]:
        if not {"id", "type", "title", "gridPos", "targets", "fieldConfig"} <= set(panel):
            sys.exit(f"the panel {panel.get('title')} lacks something")
        for target in panel["targets"]:
            yield target["expr"]
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["expr"]


def check_dashboard(port, path):
    failed = False
    for query in dashboard_queries(path):
        found = ask(port, query.replace("$__rate_interval", "5m").replace("$instance", ".*"))
        if any(name in query for name in ONLY_LIVE):
            continue
        if not found and not any(word in query for word in MAY_BE_EMPTY):
            print(f"finds nothing: {query}", file=sys.stderr)
            failed = True
        for name in set(re.findall(r"memlat_\w+", query)):
            if not ask(port, name):
                print(f"there is no {name}: {query}", file=sys.stderr)
                failed = True
    return failed


def main():
    openmetrics, folder, dashboard = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Metrics, openmetrics))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    node_port, port = free_port(), free_port()
    scratch = tempfile.mkdtemp()
    with open(f"{scratch}/prometheus.yml", "w", encoding="utf-8") as config:
        json.dump({"global": {"scrape_interval": "1s"}, "scrape_configs": [
            {"job_name": "openmetrics", "static_configs": [{"targets": [f"127.0.0.1:{server.server_port}"]}]},
            {"job_name": "node", "static_configs": [{"targets": [f"127.0.0.1:{node_port}"]}]}]}, config)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    programs = [
        subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                          f"--collector.textfile.directory={folder}",
                          f"--web.listen-address=127.0.0.1:{node_port}"], **quiet),
        subprocess.Popen(["prometheus", f"--config.file={scratch}/prometheus.yml",
                          f"--storage.tsdb.path={scratch}/data",
                          f"--web.listen-address=127.0.0.1:{port}"], **quiet)]
    try:
        end = time.monotonic() + PATIENCE
        # A rate needs two scrapes of each.
        while time.monotonic() < end:
            counted = ask(port, "count_over_time(memlat_running[5m])")
            if len(counted) == 2 and all(float(one["value"][1]) >= 2 for one in counted):
                break
            time.sleep(0.2)
        errors = ask(port, "node_textfile_scrape_error == 1")
        print(*totals(port, "openmetrics"), "/", *totals(port, "node"))
        return check_dashboard(port, dashboard) or bool(errors)
    finally:
        for program in programs:
            program.kill()
            program.wait()
        subprocess.run(["rm", "-rf", scratch], check=False)


if __name__ == "__main__":
    sys.exit(main())
