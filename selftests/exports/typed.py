#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: typed.py FOLDER DASHBOARD FLEET_RST

Writes TypeScript into FOLDER: the dashboard, declared as Grafana's type, and the manifests of FLEET_RST with each
of the two security contexts, declared as Kubernetes' type. tsc then complains about each key that these types do
not have, and about values of another type.
"""
import json
import re
import sys

import yaml

# "expr" belongs to Prometheus. "definition" is what Grafana writes for a variable when it saves one.
GRAFANA = """import type { AnnotationQuery, Dashboard, VariableModel } from '@grafana/schema';
type Ours = Omit<Dashboard, 'annotations' | 'templating'> & {
	annotations: { list: (AnnotationQuery & { expr: string })[] };
	templating: { list: (VariableModel & { definition?: string })[] };
};
export const it: Ours = %s;
"""
KUBERNETES = """import type { IDaemonSet } from 'kubernetes-models/apps/v1/DaemonSet';
export const it: IDaemonSet[] = %s;
"""


def manifests(text):
    blocks = [yaml.safe_load(block) for block in
              re.findall(r"::\n\n((?:    .*\n|\n)+)", text) if "apiVersion:" in block or "securityContext:" in block]
    if len(blocks) != 2 or set(blocks[1]) != {"securityContext"}:
        sys.exit(f"one manifest and one other security context, not {blocks}")
    other = json.loads(json.dumps(blocks[0]))
    other["spec"]["template"]["spec"]["containers"][0].update(blocks[1])
    return [blocks[0], other]


def main():
    folder, dashboard, fleet = sys.argv[1:]
    with open(dashboard, encoding="utf-8") as file, open(f"{folder}/grafana.ts", "w", encoding="utf-8") as out:
        out.write(GRAFANA % json.dumps(json.load(file), indent=1))
    with open(fleet, encoding="utf-8") as file, open(f"{folder}/kubernetes.ts", "w", encoding="utf-8") as out:
        out.write(KUBERNETES % json.dumps(manifests(file.read()), indent=1))


if __name__ == "__main__":
    sys.exit(main())
