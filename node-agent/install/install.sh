#!/bin/sh
# Sets up a Raha VPN server on Debian or Ubuntu: packages, runtime, agent, service. "raha nodes add" prints the command.
#
#   install.sh --control https://raha.example --key <public key> [--release <number>] --token-file <file, or - for input>
#   install.sh        on a machine that is set up already: updates everything
#
# Nothing is installed but a release that is signed with the key, and never an older one than the machine had. The key and
# the options are kept in /etc/raha; the options in agent.env are the operator's and are not overwritten.
set -eu
umask 022
HOME_DIR=/opt/raha
STATE=/var/lib/raha-agent
CONFIG=/etc/raha
RELEASED="$HOME_DIR/raha-agent.mjs.release"
CONTROL='' KEY='' OLDEST=0 TOKEN_FILE=''

refuse() {
  echo "$1" >&2
  exit 1
}

SELF="$0"
[ -f "$SELF" ] || refuse 'Save this script to a file, check it, and run the file.'
read_options() {
  while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || refuse "$1 needs a value."
    case "$1" in
      --control) CONTROL="${2%/}" ;;
      --key) KEY="$2" ;;
      --release) OLDEST="$2" ;;
      --token-file) TOKEN_FILE="$2" ;;
      *) refuse "There is no option $1." ;;
    esac
    shift 2
  done
}
read_options "$@"
case "$OLDEST" in '' | *[!0-9]*) refuse '--release takes a number.' ;; esac
[ "$(id -u)" = 0 ] || refuse 'Run this as root.'
case "$(uname -m)" in
  x86_64) MACHINE=x64 ;;
  aarch64) MACHINE=arm64 ;;
  *) refuse "There is no runtime for a machine of the kind $(uname -m)." ;;
esac

# What the machine trusts already.
PINNED="$(cat "$CONFIG/release.pub" 2>/dev/null || true)"
if [ -n "$PINNED" ] && [ -n "$KEY" ] && [ "$PINNED" != "$KEY" ]; then
  refuse "This machine trusts another release key: delete $CONFIG/release.pub first if you have changed the key yourself."
fi
KEY="${KEY:-$PINNED}"
[ -n "$KEY" ] || refuse 'This machine trusts no release key yet: run the command that "raha nodes token" prints.'
if [ -z "$CONTROL" ] && [ -f "$CONFIG/agent.env" ]; then
  CONTROL="$(sed -n 's/^RAHA_CONTROL="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$CONFIG/agent.env" | tail -n 1)"
fi
case "$CONTROL" in
  *[!A-Za-z0-9:/._~%-]*) refuse 'The address of the control plane contains characters that it must not.' ;;
  https://?*) ;;
  http://127.0.0.1 | http://127.0.0.1:* | http://127.0.0.1/* | http://localhost | http://localhost:* | http://localhost/*) ;;
  '') refuse 'The address of the control plane is missing: --control https://raha.example.' ;;
  *) refuse "$CONTROL could be read and changed on the way: the control plane needs an https address." ;;
esac
if [ -f "$RELEASED" ]; then
  INSTALLED="$(cat "$RELEASED")"
  [ "$INSTALLED" -le "$OLDEST" ] || OLDEST="$INSTALLED"
fi
[ -n "$TOKEN_FILE" ] || [ -f "$STATE/identity.json" ] || refuse 'A machine that is not set up yet needs --token-file.'

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq < /dev/null
apt-get install -y -qq --no-install-recommends curl ca-certificates openssl < /dev/null
mkdir -p "$HOME_DIR" "$CONFIG"
WORK="$(mktemp -d "$HOME_DIR/.install.XXXXXX")"
trap 'rm -rf "$WORK"' EXIT

# Downloads a file of the release, at most as many bytes as are named. What is missing or wrong is found by the checks.
fetch() {
  curl -fsS --proto '=http,https' "$CONTROL/node/release/$1" < /dev/null | head -c "$2" > "$WORK/$1" || true
}

fetch manifest.json 65536
fetch manifest.sig 64
printf -- '-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n' "$KEY" > "$WORK/key.pem"
case "$(openssl version)" in
  'OpenSSL 0'* | 'OpenSSL 1'*) refuse 'This system is too old: OpenSSL 3 is needed to check signatures (Debian 12, Ubuntu 22.04).' ;;
esac
openssl pkeyutl -verify -pubin -inkey "$WORK/key.pem" -rawin -in "$WORK/manifest.json" -sigfile "$WORK/manifest.sig" \
  > /dev/null 2>&1 || refuse "The release at $CONTROL is not signed with this machine's key: nothing was installed."
RELEASE="$(sed -n 's/.*"kind":"raha-agent-release".*"release":\([0-9]*\).*/\1/p' "$WORK/manifest.json")"
[ -n "$RELEASE" ] || refuse "The release at $CONTROL has a manifest of another kind: nothing was installed."
[ "$RELEASE" -ge "$OLDEST" ] ||
  refuse "The release at $CONTROL is older ($RELEASE) than what this machine has or expects ($OLDEST): nothing was installed."

# Downloads a file and refuses it unless it is the one that was signed.
get() {
  ENTRY="$(sed -n 's/.*"'"$1"'":{"sha256":"\([0-9a-f]\{64\}\)","size":\([0-9]*\)}.*/\2 \1/p' "$WORK/manifest.json")"
  [ -n "$ENTRY" ] || refuse "The release at $CONTROL has no $1: nothing was installed."
  fetch "$1" "$((${ENTRY% *} + 1))"
  SIZE="$(wc -c < "$WORK/$1")"
  [ "$SIZE" -ge "${ENTRY% *}" ] || refuse "$1 was cut short on its way: nothing was installed."
  [ "$(sha256sum < "$WORK/$1" | cut -d' ' -f1)" = "${ENTRY#* }" ] ||
    refuse "$1 is not the file that was signed: nothing was installed."
}

# A newer release may need another installer.
get install.sh
if ! cmp -s "$WORK/install.sh" "$SELF"; then
  NEWER="$(mktemp "$HOME_DIR/.newer.XXXXXX")"
  cp "$WORK/install.sh" "$NEWER"
  rm -rf "$WORK"
  exec sh "$NEWER" "$@"
fi
get run
get raha-agent.service
get raha-agent.mjs
get "node-linux-$MACHINE"

HAD_UNBOUND="$(command -v unbound || true)"
HAD_OCSERV="$(command -v ocserv || true)"
apt-get install -y -qq --no-install-recommends wireguard-tools openvpn nftables conntrack iproute2 iputils-ping kmod procps \
  unbound dns-root-data ocserv \
  strongswan-charon strongswan-swanctl libstrongswan-standard-plugins libcharon-extauth-plugins libcharon-extra-plugins < /dev/null
# The agent starts strongSwan's daemon itself; the package's own service would occupy its ports.
if [ -d /run/systemd/system ]; then systemctl disable --now --quiet strongswan-starter 2>/dev/null || true; fi
# The agent also runs its own resolver for the tunnels; the package's service is not needed.
if [ -z "$HAD_UNBOUND" ] && [ -d /run/systemd/system ]; then systemctl disable --now --quiet unbound 2>/dev/null || true; fi
if [ -z "$HAD_OCSERV" ] && [ -d /run/systemd/system ]; then systemctl disable --now --quiet ocserv 2>/dev/null || true; fi
# If AppArmor confines those daemons, allow them to use the agent's directory.
if [ -d /etc/apparmor.d/local ]; then
  for PROFILE in usr.lib.ipsec.charon usr.sbin.unbound; do
    grep -qsxF '/run/raha/** rwk,' "/etc/apparmor.d/local/$PROFILE" || echo '/run/raha/** rwk,' >> "/etc/apparmor.d/local/$PROFILE"
    apparmor_parser -r "/etc/apparmor.d/$PROFILE" 2>/dev/null || true
  done
fi
if ! modprobe wireguard 2>/dev/null; then
  apt-get install -y -qq --no-install-recommends wireguard-go < /dev/null
fi
# For thousands of devices behind one address. Daemons that set no buffer of their own (wireguard-go) get the default one, whose
# usual 208 KiB lose packets in bursts. The agent switches forwarding on, because it also keeps the machine's own IPv6 route.
cat > /etc/sysctl.d/90-raha.conf <<'SYSCTL'
net.core.rmem_default = 4194304
net.core.wmem_default = 4194304
net.core.rmem_max = 8388608
net.core.wmem_max = 8388608
net.core.netdev_max_backlog = 8192
-net.netfilter.nf_conntrack_max = 1048576
SYSCTL
# At boot the settings are applied after the modules of this list; without it the size of the table would not exist yet.
mkdir -p /etc/modules-load.d
echo nf_conntrack > /etc/modules-load.d/raha.conf
modprobe nf_conntrack 2>/dev/null || true
sysctl -q -e -p /etc/sysctl.d/90-raha.conf >/dev/null 2>&1 || true

printf '%s\n' "$KEY" > "$CONFIG/release.pub"
if grep -qs '^RAHA_CONTROL=' "$CONFIG/agent.env"; then
  sed -i "s|^RAHA_CONTROL=.*|RAHA_CONTROL=\"$CONTROL\"|" "$CONFIG/agent.env"
else
  cat >> "$CONFIG/agent.env" <<ENV
# The installer changes only RAHA_CONTROL. After a change: systemctl restart raha-agent
RAHA_CONTROL="$CONTROL"
# More options of the agent, for example --dns-forward 192.0.2.53, or --proxy-engine /usr/bin/v2ray for a program that you have installed
RAHA_OPTIONS=""
ENV
fi
install -d -m 0700 "$STATE"
if [ -n "$TOKEN_FILE" ]; then
  # The agent deletes it when it has enrolled.
  if [ "$TOKEN_FILE" = - ]; then TOKEN_FILE=/dev/stdin; fi
  (umask 077 && head -n 1 "$TOKEN_FILE" > "$STATE/enrolment-token.new" && mv "$STATE/enrolment-token.new" "$STATE/enrolment-token")
fi

chmod 0755 "$WORK/run" "$WORK/node-linux-$MACHINE"
printf '%s\n' "$RELEASE" > "$RELEASED"
mv "$WORK/node-linux-$MACHINE" "$HOME_DIR/node"
mv "$WORK/raha-agent.mjs" "$HOME_DIR/raha-agent.mjs"
mv "$WORK/run" "$HOME_DIR/run"
mv "$WORK/install.sh" "$HOME_DIR/install.sh"
case "$SELF" in "$HOME_DIR/.newer."*) rm -f "$SELF" ;; esac
rm -f "$HOME_DIR/raha-agent.mjs.unproved" "$HOME_DIR/raha-agent.mjs.refused" "$HOME_DIR/raha-agent.mjs.previous"
if [ -d /run/systemd/system ]; then
  install -m 0644 "$WORK/raha-agent.service" /etc/systemd/system/raha-agent.service
  rm -rf "$WORK"
  systemctl daemon-reload
  systemctl enable --quiet raha-agent.service
  # Restart also if it runs already: this is how a machine is updated.
  systemctl restart raha-agent.service
  echo 'The node agent is running. Check it with: systemctl status raha-agent'
else
  rm -rf "$WORK"
  echo 'No systemd here: the agent runs in the foreground.'
  . "$CONFIG/agent.env"
  # Several options, separated by spaces.
  # shellcheck disable=SC2086
  exec "$HOME_DIR/run" --control "$RAHA_CONTROL" --state "$STATE" $RAHA_OPTIONS
fi
