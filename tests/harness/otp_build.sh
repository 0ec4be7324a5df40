#!/bin/bash
# Prepares a root folder with another build of an Erlang/OTP: tests/harness/otp_build.sh 25 emu -> build/otp/25emu.
# It is the root folder of that release (otp_root.sh), with an emulator of our own as its beam.smp, from the source
# that Debian's package of this release has. The kinds:
#
#   emu         the interpreter, stripped as in a distribution
#   unstripped  the JIT with its symbols and DWARF, as in the official container images
#   clang       the JIT by clang, stripped
#   clangemu    the interpreter by clang, stripped: it keeps its variables in words of its frame
#   lcnt        the JIT that counts locks, with DWARF, because its structs are its own
#
# The first kind of a release takes three to five minutes on two cores, another two to three. The source stays in
# build/otp-source, where the kinds of one release share the download, and those of one compiler the tree.
# Does nothing when the root is there.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
release=${1:?usage: otp_build.sh OTP_RELEASE KIND}
kind=${2:?usage: otp_build.sh OTP_RELEASE KIND}
case $release in
  25) suite=bookworm ;;
  27) suite=trixie ;;
  29) suite=forky ;;
  *) echo "otp_build: no Debian suite is known to have the source of OTP $release (25, 27 and 29 are)" >&2; exit 2 ;;
esac
compiler=gcc cxx=g++ what=() emulator=beam.jit expected="jit opt" strip=no
case $kind in
  emu) what=(FLAVOR=emu) emulator=beam.emu expected="emu opt" strip=yes ;;
  unstripped) ;;
  clang) compiler=clang cxx=clang++ strip=yes ;;
  clangemu) compiler=clang cxx=clang++ what=(FLAVOR=emu) emulator=beam.emu expected="emu opt" strip=yes ;;
  lcnt) what=(TYPE=lcnt) emulator=beam.lcnt.jit expected="jit lcnt" ;;
  *) echo "otp_build: unknown kind $kind (emu, unstripped, clang, clangemu and lcnt are known)" >&2; exit 2 ;;
esac

root=$repo/build/otp/$release$kind
if [[ -e $root/.complete ]]; then exit 0; fi
fail() { echo "otp_build: OTP $release $kind: $*" >&2; exit 1; }
for program in "$compiler" "$cxx" make autoconf perl m4 strip xz; do
  command -v "$program" > /dev/null ||
    { echo "otp_build: needs $program: apt-get install build-essential autoconf clang xz-utils" >&2; exit 77; }
done
[[ -e /usr/include/ncurses.h ]] ||
  { echo "otp_build: needs ncurses.h: apt-get install libncurses-dev" >&2; exit 77; }
"$repo/tests/harness/otp_root.sh" "$release"

sources=$repo/build/otp-source/$release
tree=$sources/$compiler
log=$sources/$kind.log
mkdir -p "$sources"
if [[ ! -e $tree/.configured ]]; then
  if [[ ! -e $sources/.downloaded ]]; then
    echo "otp_build: downloading the source of OTP $release from Debian $suite"
    source "$repo/tests/harness/debian_suite.sh"
    apt_of_suite "$suite" "$sources/apt" otp_build deb-src
    # The upstream source alone: Debian's patches are left out, because a mirror may lack their file.
    (cd "$sources" && rm -f ./*.orig.tar.* && apt-get "${apt[@]}" source --download-only --tar-only erlang) > "$log" 2>&1 ||
      fail "apt cannot download the source from Debian $suite: see $log"
    touch "$sources/.downloaded"
  fi
  echo "otp_build: configuring OTP $release for $compiler"
  rm -rf "$tree"
  mkdir "$tree"
  tar -x -C "$tree" --strip-components=1 -f "$sources"/erlang_*.orig.tar.* || fail "the source cannot be unpacked: remove $sources"
  (
    cd "$tree"
    export ERL_TOP=$tree
    [[ -x configure ]] || ./otp_build autoconf
    ./configure CC="$compiler" CXX="$cxx" CFLAGS="-g -O2" CXXFLAGS="-g -O2" \
      --without-javac --without-wx --without-odbc --without-megaco
  ) < /dev/null > "$log" 2>&1 || fail "configure ended with an error: see the end of $log"
  touch "$tree/.configured"
fi

built=$tree/.beam-$kind
if [[ ! -e $built ]]; then
  echo "otp_build: building OTP $release $kind"
  rm -f "$tree"/bin/*/"$emulator"
  # An error about erl_call comes after the emulator was linked, and does not matter.
  (cd "$tree" && ERL_TOP=$tree nice make -j2 emulator "${what[@]}") < /dev/null > "$log" 2>&1 || true
  # Under a name of ours, because making another kind makes some of this one's objects again.
  cp "$tree"/bin/*/"$emulator" "$built" 2> /dev/null || fail "make ended without bin/*/$emulator: see the end of $log"
fi

# A copy by hard links. Every file that differs is removed first, so that the release's own root keeps its file.
copy=$sources/root-$kind
rm -rf "$copy" "$root"
cp -al "$repo/build/otp/$release" "$copy"
rm -rf "$copy/.complete" "$copy/targets"
own=$(echo "$copy"/usr/lib/erlang/erts-*/bin/beam.smp)
[[ -f $own ]] || fail "the root folder of OTP $release has no beam.smp: remove build/otp/$release"
rm "$own"
if [[ $strip == yes ]]; then strip -o "$own" "$built"; else cp "$built" "$own"; fi
# In a mount namespace of its own, as erlang_runtime.py does: a VM without /dev/null spins.
told=$(unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
  exec chroot "$0" /usr/bin/env HOME=/ timeout 30 erl -noshell -eval "$1"' "$copy" \
  'io:format("~s ~s~n", [erlang:system_info(I) || I <- [emu_flavor, build_type]]), halt().' \
  < /dev/null 2>> "$log") || fail "the emulator does not start: see the end of $log"
[[ $told == "$expected" ]] || fail "the emulator calls itself '$told', not '$expected': remove $tree"
mv "$copy" "$root"
touch "$root/.complete"
