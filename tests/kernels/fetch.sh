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
mkdir -p "$cache"/{lists/partial,archives/partial,debs}

# The same mirror that this machine itself uses, so that a local mirror or proxy keeps working.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' 2> /dev/null |
  awk '$2 == "Debian" && $1 !~ /security/ {print $1; exit}')
if [[ -z $mirror ]]; then
  echo "kernels: apt knows no Debian mirror: add one to its sources and run apt-get update" >&2
  exit 1
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] $mirror $suite main" > "$cache/sources.list"

apt=(-q -q
  -o "Dir::Etc::sourcelist=$cache/sources.list" -o Dir::Etc::sourceparts=-
  -o "Dir::State::Lists=$cache/lists" -o Dir::State::status=/dev/null
  -o "Dir::Cache=$cache" -o APT::Sandbox::User=root -o Acquire::Languages=none
  -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -o Acquire::Retries=3)

if ! apt-get "${apt[@]}" update 2> "$cache/update.log"; then
  echo "kernels: apt cannot read Debian $suite from $mirror:" >&2
  tail -n 3 "$cache/update.log" >&2
  exit 1
fi
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
