#!/bin/sh
# sh /opt/raha/current/deploy/upgrade.sh raha-….tar.xz     as root: the new release, one server after the other; nobody notices
#
# With a pinned key (install.sh --key) only a signed archive is taken: its .sha256 and .sha256.sig lie beside it. Migrations only go
# forward and let the release before them go on (decision 70), so a server that does not come back is taken back to it.
set -eu
umask 022
ROOT=''
[ $# -eq 1 ] && [ -f "$1" ] || { echo 'upgrade.sh takes the archive of a release.' >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo 'Run this as root.' >&2; exit 1; }
ARCHIVE="$(readlink -f "$1")"
WORK="$(mktemp -d /opt/raha/.upgrade.XXXXXX)"
trap 'rm -rf "$WORK"' EXIT

if [ -f /etc/raha/archive.pub ]; then
  printf -- '-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n' "$(cat /etc/raha/archive.pub)" > "$WORK/key.pem"
  openssl pkeyutl -verify -pubin -inkey "$WORK/key.pem" -rawin -in "$ARCHIVE.sha256" -sigfile "$ARCHIVE.sha256.sig" > /dev/null 2>&1 ||
    { echo 'The archive is not signed with the key of this machine: nothing was changed.' >&2; exit 1; }
fi
(cd "$(dirname "$ARCHIVE")" && sha256sum --check --status "$ARCHIVE.sha256") ||
  { echo 'The archive is not the one that its .sha256 names: nothing was changed.' >&2; exit 1; }
tar -xf "$ARCHIVE" -C "$WORK" --no-same-owner
set -- "$WORK"/raha-*
HERE="$1"
. "$HERE/deploy/files.sh"
. "$HERE/deploy/services.sh"

BEFORE="$(basename "$(readlink /opt/raha/current)")"
place_program "$HERE"
[ "$VERSION" != "$BEFORE" ] || refuse "Release $VERSION runs already."
migrate "$VERSION" || refuse "The database could not be migrated: release $BEFORE goes on."
point_to "$VERSION"
place_units "$HERE"
systemctl daemon-reload
systemctl enable -q --now raha-backup.timer
for port in 3001 3002; do
  systemctl restart "raha-server@$port"
  if ! wait_ready "$port"; then
    point_to "$BEFORE"
    place_units /opt/raha/current
    systemctl daemon-reload
    for back in 3001 3002; do systemctl restart "raha-server@$back"; wait_ready "$back" || true; done
    refuse "The new release did not come up on port $port; release $BEFORE runs again. journalctl -u raha-server@$port"
  fi
  # The proxy has to see it before the other one goes.
  sleep 2
done
systemctl restart raha-worker
# The last three stay, for going back.
ls -1t /opt/raha/releases | tail -n +4 | while read -r old; do
  [ "$old" = "$VERSION" ] || [ "$old" = "$BEFORE" ] || rm -rf "/opt/raha/releases/$old"
done
echo "Release $VERSION runs; $BEFORE is kept in /opt/raha/releases."
