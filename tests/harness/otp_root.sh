#!/bin/bash
# Prepares a root folder with another suite's Erlang/OTP, so that tests can run a real VM of another
# release without touching this machine's packages: tests/harness/otp_root.sh 27 -> build/otp/27.
#
# A VM in that folder runs with chroot in its own mount namespace. So it also replaces a container in tests: the
# target's files are only reachable through /proc/PID/root.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
release=${1:?usage: otp_root.sh OTP_RELEASE}
case $release in
  23) suite=bullseye ;;
  25) suite=bookworm ;;
  27) suite=trixie ;;
  29) suite=forky ;;
  *) echo "otp_root: no Debian suite is known to carry OTP $release (23, 25, 27 and 29 are)" >&2; exit 2 ;;
esac

root=$repo/build/otp/$release
cache=$repo/build/otp/cache-$suite
if [[ -e $root/.complete ]]; then exit 0; fi
echo "otp_root: preparing OTP $release from Debian $suite in build/otp/$release"
rm -rf "$root"
source "$repo/tests/harness/debian_suite.sh"
apt_of_suite "$suite" "$cache" otp_root

# erlang-dev has erl_nif.h: OTP 23 refuses NIFs that were compiled with that of a later release.
wanted=(erlang-base erlang-crypto erlang-tools erlang-runtime-tools erlang-dev
  dash coreutils sed grep libc-bin base-files)
packages=$(apt-get "${apt[@]}" -s install --no-install-recommends "${wanted[@]}" |
  awk '/^Inst /{print $2}' |
  grep -vE '^(systemd|systemd-.*|libsystemd-shared|passwd|adduser|debconf|libpam.*|login.*|dpkg|tar|perl.*|mount|util-linux.*|sysv.*|init-.*|init|libdevmapper.*|dmsetup|libcryptsetup.*|dbus.*)$')

(cd "$cache/debs" && rm -f ./*.deb && apt-get "${apt[@]}" download $packages)

# usr-merge comes first, because some packages of these suites still contain /bin and /lib.
mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{etc,proc,dev,tmp,root}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
for deb in "$cache"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink
done
cp /etc/passwd /etc/group "$root/etc/"
printf '127.0.0.1 localhost %s\n' "$(hostname)" > "$root/etc/hosts"
ldconfig -r "$root"
rm -rf "$cache/debs" "$cache/archives"

reported=$(chroot "$root" /usr/bin/env HOME=/root sh -c 'ls /usr/lib/erlang/releases' | grep -x "$release" || true)
if [[ $reported != "$release" ]]; then
  echo "otp_root: the unpacked root does not hold OTP $release" >&2
  exit 1
fi
touch "$root/.complete"
