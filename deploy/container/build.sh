#!/bin/bash
# Makes a container image of a built beam_exporter and the shared libraries that it links to. The libraries
# come from this machine's Debian packages; no image registry is used. Needs podman.
#
#   deploy/container/build.sh [NAME[:TAG]]      (default beam_exporter:VERSION)
#
# BEAM_EXPORTER names the binary, default build/release/beam_exporter.
set -euo pipefail
umask 022

repo=$(cd "$(dirname "$0")/../.." && pwd)
binary=${BEAM_EXPORTER:-$repo/build/release/beam_exporter}
fail() { echo "container: $*" >&2; exit 1; }

case ${1:-} in -h|--help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[[ -x $binary ]] || fail "no $binary: cmake --preset release && cmake --build --preset release"
command -v podman > /dev/null || fail "needs podman: apt-get install podman runc"
version=$("$binary" --version | sed -n 's/^beam_exporter, version \([^ ]*\).*/\1/p')
name=${1:-beam_exporter:$version}

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
# All libraries are in one folder, as in Debian's merged /usr.
mkdir -p "$root"/usr/{bin,lib/x86_64-linux-gnu,lib64,share/doc} "$root"/etc/beam_exporter
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"

install -s -m 755 "$binary" "$root/usr/bin/beam_exporter"
install -m 644 "$repo/config/beam_exporter.yaml" "$root/etc/beam_exporter/"
install -D -m 644 -t "$root/usr/share/doc/beam_exporter" "$repo/LICENSE"

copyright_of() { install -D -m 644 -t "$root/usr/share/doc/$1" "/usr/share/doc/$1/copyright"; }
for package in libcli11-dev nlohmann-json3-dev prometheus-cpp-dev; do copyright_of "$package"; done  # compiled into the binary
uplot=$(dirname "$binary")/exporter/web/npm/node_modules/uplot/LICENSE
[[ ! -f $uplot ]] || install -D -m 644 -T "$uplot" "$root/usr/share/doc/uplot/copyright"

# Lines are "NAME => FILE (ADDRESS)"; that of the loader is "FILE (ADDRESS)".
linked=$(ldd "$binary")
[[ $linked != *"not found"* ]] || fail "libraries are missing: $(grep 'not found' <<< "$linked")"
for library in $(grep -o '/[^ ]*' <<< "$linked"); do
  install -D -m 755 -T "$library" "$root/usr/${library#/usr}"
  file=$(realpath "$library")  # packages may still list it as /lib/...
  package=$(dpkg -S "$file" 2> /dev/null || dpkg -S "${file#/usr}") || fail "$file is of no Debian package"
  copyright_of "${package%%:*}"
done
# The licences to which those copyright files refer.
for licence in $(grep -rohE '/usr/share/common-licenses/[A-Z][A-Za-z0-9.-]*[A-Za-z0-9]' "$root/usr/share/doc" | sort -u); do
  install -D -m 644 -T "$licence" "$root$licence"
done

cat > "$root/etc/passwd" << 'PASSWD'
root:x:0:0:root:/:/sbin/nologin
beam_exporter:x:65532:65532:beam_exporter:/:/sbin/nologin
PASSWD
printf 'root:x:0:\nbeam_exporter:x:65532:\n' > "$root/etc/group"

podman build --quiet --tag "$name" --file "$repo/deploy/container/Containerfile" "$root" > /dev/null
echo "container: $name, $(podman image inspect --format '{{.Size}}' "$name" | numfmt --to=iec) on disk"
