#!/bin/bash
# Fetches Debian's cloud kernel of a suite, as its users have it: tests/kernels/fetch.sh SUITE prints
# the path of its vmlinuz, build/kernels/SUITE/vmlinuz. Nothing of the machine's own packages changes.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
suite=${1:?usage: fetch.sh SUITE}
folder=$repo/build/kernels/$suite
cache=$folder/cache
if [[ -e $folder/vmlinuz ]]; then echo "$folder/vmlinuz"; exit 0; fi
echo "kernels: fetching the cloud kernel of Debian $suite into build/kernels/$suite" >&2
rm -rf "$cache"
source "$repo/tests/harness/debian_suite.sh"
apt_of_suite "$suite" "$cache" kernels
# linux-image-cloud-amd64 is a name for the newest; the file is in linux-image-VERSION, in sid in
# linux-binary-VERSION.
packages=$(apt-get "${apt[@]}" -s install --no-install-recommends linux-image-cloud-amd64 |
  awk '/^Inst linux-(image|binary)-[0-9].*-cloud-amd64 /{print $2}')
# shellcheck disable=SC2086
(cd "$cache/debs" && apt-get "${apt[@]}" download $packages)
for deb in "$cache"/debs/*.deb; do dpkg-deb -x "$deb" "$cache/files"; done
# Beside it lie modules, which nothing here asks for; sid keeps it with them.
mv "$(find "$cache/files" -name 'vmlinuz*' -type f)" "$folder/vmlinuz"
rm -rf "$cache"
echo "$folder/vmlinuz"
