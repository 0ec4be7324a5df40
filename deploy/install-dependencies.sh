#!/bin/bash
# Installs the Debian packages that building beam_exporter needs. --prometheus adds a Prometheus and an
# Alertmanager, --tests everything that the tests need (RabbitMQ, strace ...), --pictures the programs that
# draw the dashboards (tests/pictures). Does nothing when nothing is missing.
set -euo pipefail

fail() { echo "install-dependencies: $*" >&2; exit 1; }

with_prometheus=no
with_tests=no
with_pictures=no
for argument in "$@"; do
  case $argument in
    --prometheus) with_prometheus=yes ;;
    --tests) with_tests=yes; with_prometheus=yes ;;
    --pictures) with_pictures=yes; with_tests=yes; with_prometheus=yes ;;
    -h|--help) echo "usage: install-dependencies.sh [--prometheus] [--tests] [--pictures]"; exit 0 ;;
    *) echo "install-dependencies: unknown argument $argument (--prometheus, --tests, --pictures)" >&2; exit 2 ;;
  esac
done

packages=(
  cmake ninja-build g++ pkg-config
  libelf-dev libdw-dev libdebuginfod-dev libcap-dev zlib1g-dev libssl-dev
  libyaml-cpp-dev libre2-dev libspdlog-dev libcli11-dev nlohmann-json3-dev
  libcivetweb-dev prometheus-cpp-dev libprotozero-dev libncurses-dev
  clang bpftool libbpf-dev
  libgtest-dev libgmock-dev
  erlang-base erlang-crypto
  python3 curl ca-certificates
)
[[ $with_prometheus == no ]] || packages+=(prometheus prometheus-alertmanager)
[[ $with_pictures == no ]] || packages+=(fonts-inter pngquant)
if [[ $with_tests == yes ]]; then
  packages+=(
    erlang-dev erlang-tools erlang-runtime-tools elixir
    python3-prometheus-client python3-yaml python3-pyte rabbitmq-server jsonnet
    golang-go lcov chromium
    strace gdb linux-perf libcap2-bin util-linux procps iproute2 clang-format clang-tidy
    debian-archive-keyring debuginfod
    podman runc catatonit
    qemu-system-x86 cpio busybox-static
  )
  # Some Node.js packages contain npm and conflict with Debian's npm.
  command -v npm > /dev/null || packages+=(nodejs npm)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo > /dev/null || fail "must run as root to install: ${missing[*]}"
  as_root=(sudo)
fi
command -v apt-get > /dev/null || fail "this is no Debian; install the equivalents of: ${missing[*]}"

echo "install-dependencies: installing ${#missing[@]} Debian packages: ${missing[*]}"
log=$(mktemp)
own_policy=no
# The tests start their own servers: the services of the packages must not start, neither now nor at boot.
policy=/usr/sbin/policy-rc.d
cleanup() {
  rm -f "$log"
  [[ $own_policy == no ]] || "${as_root[@]}" rm -f "$policy"
}
trap cleanup EXIT
if [[ ! -e $policy ]]; then
  own_policy=yes
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" > /dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi

apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 "$@" < /dev/null >> "$log" 2>&1
}
explain() {
  grep -E '^(E|Err|W|dpkg: error)' "$log" | tail -n 5 >&2 || tail -n 5 "$log" >&2
  fail "$*"
}

# A broken third-party source makes `update` fail although Debian's own lists are good, so only the result
# of the install counts.
apt_get update || echo "install-dependencies: apt-get update had errors; trying to install all the same"
apt_get install --no-install-recommends "${missing[@]}" ||
  explain "apt-get could not install: ${missing[*]}"

if command -v systemctl > /dev/null; then
  for service in prometheus prometheus-alertmanager rabbitmq-server; do
    if [[ " ${missing[*]} " == *" $service "* ]]; then
      "${as_root[@]}" systemctl disable --quiet "$service" 2> /dev/null || true
    fi
  done
fi
