#!/bin/bash
# To be sourced: apt for another suite of Debian than the machine's, with its own lists, so that the machine's
# packages do not change. `apt_of_suite SUITE FOLDER NAME` fills the array `apt` (options for apt-get) and reads
# the suite's lists into FOLDER: of its packages, or with `deb-src` after NAME of its sources. An error is one line that
# begins with NAME; it ends the script with 1.
set -euo pipefail

apt_of_suite() {
  local suite=$1 cache=$2 name=$3 kind=${4:-deb} mirror
  mkdir -p "$cache"/{lists/partial,archives/partial,debs}
  # The mirror that this machine uses, so that a local mirror or proxy keeps working.
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 'Created-By: Packages' 2> /dev/null |
    awk '$2 == "Debian" && $1 !~ /security/ {print $1; exit}')
  if [[ -z $mirror ]]; then
    echo "$name: apt knows no Debian mirror: add one to its sources and run apt-get update" >&2
    exit 1
  fi
  echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$cache/sources.list"
  # shellcheck disable=SC2034
  apt=(-q -q
    -o "Dir::Etc::sourcelist=$cache/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::Lists=$cache/lists" -o Dir::State::status=/dev/null
    -o "Dir::Cache=$cache" -o APT::Sandbox::User=root -o Acquire::Languages=none
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false -o Acquire::Retries=3)
  if ! apt-get "${apt[@]}" update 2> "$cache/update.log"; then
    echo "$name: apt cannot read Debian $suite from $mirror:" >&2
    tail -n 3 "$cache/update.log" >&2
    exit 1
  fi
}
