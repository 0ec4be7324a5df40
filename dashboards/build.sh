#!/bin/bash
# Makes the generated files: the dashboards from dashboards/source, the PrometheusRule from dashboards/rules.
#
#   dashboards/build.sh [FOLDER]    FOLDER: where to write them; default: the repository itself. Needs jsonnet.
set -euo pipefail

repo=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$repo}
mkdir -p "$out/dashboards" "$out/deploy/kubernetes"

for source in "$repo"/dashboards/source/*.jsonnet; do
  jsonnet -o "$out/dashboards/$(basename "$source" .jsonnet).json" "$source"
done

{
  cat "$repo/dashboards/source/prometheus-rule.head.yaml"
  for rules in beam_recording beam_alerts; do
    sed -e '1,/^groups:/d' -e 's/^./  &/' "$repo/dashboards/rules/$rules.yaml"
  done
} > "$out/deploy/kubernetes/prometheus-rule.yaml"
