#!/bin/sh
# Copies the whole PostgreSQL cluster to this machine, checks the copy, and deletes older ones and the log that only they needed.
# On the receiver, as the user that keeps the copies: base.sh DIRECTORY [KEEP]. How to reach PostgreSQL stands in libpq's variables
# (PGHOST, PGUSER, …). docs/operations.md, "Losing nothing", says how it is set up.
set -eu
DIRECTORY="$1"
KEEP="${2:-2}"
BIN="${PG_BIN:-$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -1)}"

mkdir -p -m 700 "$DIRECTORY/base" "$DIRECTORY/wal"
NEW="$DIRECTORY/base/.new"
rm -rf "$NEW"
# The log of the copy's own time comes with it, so that each copy starts without the receiver's.
"$BIN/pg_basebackup" --pgdata "$NEW" --wal-method stream --checkpoint fast --no-password --label raha
"$BIN/pg_verifybackup" --quiet "$NEW"
# A copy can be brought to any time from its end on, which was in this second: the name is the second after it.
NAME="$(date -u -d '1 second' +%Y%m%dT%H%M%SZ)"
mv -T "$NEW" "$DIRECTORY/base/$NAME"
echo "$DIRECTORY/base/$NAME"

ls "$DIRECTORY/base" | sort -r | tail -n "+$((KEEP + 1))" | while read -r old; do rm -rf "$DIRECTORY/base/$old"; done
OLDEST="$(ls "$DIRECTORY/base" | sort | head -1)"
FIRST="$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]\{24\}\))$/\1/p' "$DIRECTORY/base/$OLDEST/backup_label")"
"$BIN/pg_archivecleanup" "$DIRECTORY/wal" "$FIRST"
