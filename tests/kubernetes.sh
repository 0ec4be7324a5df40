#!/bin/bash
# Runs deploy/kubernetes on a real cluster, by hand: in a namespace of its own, which it deletes at the end.
#
#   tests/kubernetes.sh
#
# Needs kubectl with rights to make a namespace (KUBECONFIG), and, in place of a registry, the containerd of the
# cluster's one node (CONTAINERD_ADDRESS) to import images into by ctr. Needs podman, build/release/beam_exporter and
# OTP 27 (tests/harness/otp_root.sh 27).
set -euo pipefail

case ${1:-} in -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
cd "$(dirname "$0")"
exec /usr/bin/python3 -B -m integration.restricted_namespace
