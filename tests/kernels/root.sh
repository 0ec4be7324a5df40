#!/bin/bash
# Makes the root folder of a guest, of the machine's own files: tests/kernels/root.sh FOLDER EXPORTER
# GUEST_SCRIPT [OTP_ROOT]. In it: Erlang/OTP with kernel, stdlib and crypto, the demo's modules in /demo, three of
# tests/targets in /targets, the exporter as /beam_exporter, setpriv, bpftool, busybox, and GUEST_SCRIPT,
# which its /init runs. What that prints to file descriptor 3 is the guest's second serial port.
# OTP_ROOT, of tests/harness/otp_root.sh, becomes /otp, with the same modules in it.
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
root=${1:?usage: root.sh FOLDER EXPORTER GUEST_SCRIPT [OTP_ROOT]}
exporter=${2:?usage: root.sh FOLDER EXPORTER GUEST_SCRIPT [OTP_ROOT]}
guest=${3:?usage: root.sh FOLDER EXPORTER GUEST_SCRIPT [OTP_ROOT]}
other_otp=${4:-}

rm -rf "$root"
mkdir -p "$root"/{usr/bin,usr/sbin,usr/lib,usr/lib64,etc,proc,sys,dev,tmp,demo,targets}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done

cp "$(command -v busybox)" "$root/usr/bin/busybox"
for applet in $(busybox --list); do [[ $applet == busybox ]] || ln -s busybox "$root/usr/bin/$applet"; done

otp=$(readlink -f "$(command -v erl)")
otp=${otp%/bin/erl}
for folder in "$otp"/{bin,releases} "$otp"/erts-*/bin "$otp"/lib/{kernel,stdlib,crypto}-*/{ebin,priv}; do
  [[ ! -d $folder ]] || { mkdir -p "$root$folder" && cp -rL "$folder/." "$root$folder"; }
done
ln -s "$otp/bin/erl" "$root/usr/bin/erl"
erlc -o "$root/demo" "$repo"/deploy/demo/*.erl
erlc -o "$root/targets" "$repo"/tests/targets/{puppet,wakes_by_timers,fixed_work}.erl

rm -f "$root/usr/bin/setpriv"
cp "$(command -v setpriv)" "$root/usr/bin/setpriv"
bpftool=$(PATH=$PATH:/usr/sbin command -v bpftool || true)  # for tests/kernels/costs.sh only
[[ -z $bpftool ]] || cp "$bpftool" "$root/usr/bin/bpftool"
cp "$exporter" "$root/beam_exporter"
libraries=$(find "$root" -type f \( -perm -u+x -o -name "*.so" \) -exec ldd {} + 2> /dev/null |
  awk '$2 == "=>" && $3 ~ /^\// {print $3} $1 ~ /^\// && $2 ~ /^\(/ {print $1}' | sort -u || true)
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -nL "$library" "$root$library"
done

if [[ -n $other_otp ]]; then
  [[ -e $other_otp/.complete ]] || { echo "root.sh: $other_otp is no root of tests/harness/otp_root.sh" >&2; exit 1; }
  cp -a "$(readlink -f "$other_otp")/." "$root/otp"
  cp -r "$root/demo" "$root/targets" "$root/otp"
fi

printf 'root:x:0:0:root:/root:/bin/sh\nvm:x:1000:1000:vm:/tmp:/bin/sh\nother:x:1001:1001:other:/tmp:/bin/sh\n' > "$root/etc/passwd"
printf '127.0.0.1 localhost\n' > "$root/etc/hosts"
ldconfig -r "$root" 2> /dev/null
cp "$guest" "$root/guest.sh"
cat > "$root/init" << 'INIT'
#!/bin/busybox sh
export PATH=/usr/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
ip link set lo up
ip addr add 127.0.0.1/8 dev lo 2> /dev/null
busybox stty -F /dev/ttyS1 raw -echo 2> /dev/null
sh /guest.sh 3> /dev/ttyS1
sync
busybox poweroff -f
INIT
chmod 755 "$root/init"
