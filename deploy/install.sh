#!/bin/sh
# Sets up Raha on Debian 12 from an unpacked release, as root. Run again it changes nothing that is right already.
#
#   SMTP_URL=smtps://user:password@mail.example:465 sh deploy/install.sh --site raha.example --operator dana@raha.example
#
# Two servers and a worker (units with a sandbox, user raha) in /opt/raha, Debian's PostgreSQL over its socket, Caddy with TLS, settings
# in /etc/raha, data in /var/lib/raha. --key release.pub pins the key that upgrade.sh asks for. --root DIRECTORY writes only the
# files, below that directory (for tests).
set -eu
umask 022
ROOT='' SITE='' OPERATOR='' PINNED=''
HERE="$(cd "$(dirname "$0")/.." && pwd)"

while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || { echo "$1 needs a value." >&2; exit 1; }
  case "$1" in
    --site) SITE="$2" ;;
    --operator) OPERATOR="$2" ;;
    --key) PINNED="$2" ;;
    --root) ROOT="$2" ;;
    *) echo "There is no option $1." >&2; exit 1 ;;
  esac
  shift 2
done
. "$HERE/deploy/files.sh"

case "$SITE" in '' | *[!A-Za-z0-9.-]*) refuse '--site takes the host name that users open, such as raha.example.' ;; esac
case "$OPERATOR" in ?*@?*.?*) ;; *) refuse '--operator takes your e-mail address: the first super admin, and where the test mail goes.' ;; esac
case "$OPERATOR" in *[!A-Za-z0-9@._+-]*) refuse '--operator contains characters that it must not.' ;; esac
[ -x "$HERE/runtime/node" ] || refuse 'Run this from an unpacked release: sh raha-…/deploy/install.sh.'

if [ -z "$ROOT" ]; then
  [ "$(id -u)" = 0 ] || refuse 'Run this as root.'
  . /etc/os-release
  [ "${ID:-}" = debian ] && [ "${VERSION_ID:-0}" -ge 12 ] || refuse "This is for Debian 12 or newer; this machine is ${PRETTY_NAME:-something else}."
  [ -d /run/systemd/system ] || refuse 'This machine does not run systemd.'
  missing=''
  for package in postgresql caddy ca-certificates openssl xz-utils; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq < /dev/null
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing < /dev/null > /dev/null
    changed "packages:$missing"
  fi
  id raha > /dev/null 2>&1 || { useradd --system --home-dir /var/lib/raha --shell /usr/sbin/nologin raha; changed 'user: raha'; }
fi

place_program "$HERE"
point_to "$VERSION"
place_settings "$SITE" "$OPERATOR" "$HERE"
place_units "$HERE"
place_proxy "$SITE" "$OPERATOR" "$HERE"
[ -z "$PINNED" ] || place "$PINNED" "$ROOT/etc/raha/archive.pub" 0644
if [ -n "$ROOT" ]; then
  [ "$CHANGED" -gt 0 ] || echo 'Nothing had to be changed.'
  exit 0
fi

grep -q '^SMTP_URL=..*' "$RAHA_SETTINGS" || refuse "Without a mail server nobody can sign in: write SMTP_URL into $RAHA_SETTINGS and run this again."

as_postgres() { setpriv --reuid postgres --regid postgres --init-groups -- "$@"; }
systemctl start postgresql
for _ in $(seq 50); do as_postgres psql -Atqc 'SELECT 1' > /dev/null 2>&1 && break; sleep 0.2; done
as_postgres psql -Atqc 'SELECT 1' > /dev/null || refuse 'PostgreSQL does not answer at its socket: pg_lsclusters, journalctl -u postgresql@15-main.'
if [ "$(as_postgres psql -Atqc "SELECT count(*) FROM pg_roles WHERE rolname = 'raha'")" = 0 ]; then
  as_postgres psql -qc 'CREATE ROLE raha LOGIN'
  changed 'database role: raha'
fi
if [ "$(as_postgres psql -Atqc "SELECT count(*) FROM pg_database WHERE datname = 'raha'")" = 0 ]; then
  as_postgres createdb -O raha -T template0 -E UTF8 --locale=C.UTF-8 raha
  changed 'database: raha'
fi

systemctl daemon-reload
. "$HERE/deploy/services.sh"
migrate "$VERSION"
systemctl enable -q raha.target postgresql caddy
systemctl enable -q --now raha-backup.timer
RUNNING="$CHANGED"
systemctl start raha.target
for port in 3001 3002; do wait_ready "$port" || refuse "The server does not start: journalctl -u raha-server@$port"; done
if [ "$RUNNING" -gt 0 ]; then systemctl restart caddy; else systemctl start caddy; fi
[ "$CHANGED" -gt 0 ] || echo 'Nothing had to be changed.'
echo "Raha $VERSION serves https://$SITE; sign in to https://$SITE/admin as $OPERATOR."
# The certificate takes a moment. What is left to do is the operator's, and no failure of the installation.
sleep 2
raha doctor || echo 'That is left to do: /opt/raha/current/docs/operations.md'
