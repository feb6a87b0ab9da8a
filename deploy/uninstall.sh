#!/bin/sh
# As root: stops and removes the program and its services. Database, settings, master key, /var/lib/raha and backups stay.
set -eu
[ "$(id -u)" = 0 ] || { echo 'Run this as root.' >&2; exit 1; }
systemctl disable -q --now raha-backup.timer raha.target raha-server@3001 raha-server@3002 raha-worker 2> /dev/null || true
rm -f /etc/systemd/system/raha-server@.service /etc/systemd/system/raha-worker.service /etc/systemd/system/raha.target /etc/systemd/system/raha-backup.*
rm -f /etc/systemd/system/caddy.service.d/raha.conf /usr/local/bin/raha
if grep -q '^# Written by deploy/install.sh' /etc/caddy/Caddyfile 2> /dev/null; then
  systemctl stop caddy || true
  rm -f /etc/caddy/Caddyfile
fi
systemctl daemon-reload
rm -rf /opt/raha
echo 'The program is gone. Kept: the database raha in PostgreSQL, /etc/raha (settings, master key), /var/lib/raha, /var/backups/raha.'
