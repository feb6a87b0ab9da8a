#!/bin/sh
# Makes a PostgreSQL data directory of what the receiver has, up to the last transaction or to a time:
#   restore.sh --from DIRECTORY --to DATA [--time '2026-11-26 02:00:00+00']
# As the user that PostgreSQL runs as (postgres). DIRECTORY has base/ and wal/ of the receiver and has to stay there until PostgreSQL
# has started and says that it is ready. docs/runbook.md says what comes before and after.
set -eu
refuse() {
  echo "$1" >&2
  exit 1
}
FROM='' TO='' TIME=''
while [ $# -gt 1 ]; do
  case "$1" in
    --from) FROM="$2" ;;
    --to) TO="$2" ;;
    --time) TIME="$2" ;;
    *) refuse "There is no option $1." ;;
  esac
  shift 2
done
[ $# = 0 ] && [ -n "$FROM" ] && [ -n "$TO" ] || refuse 'Usage: restore.sh --from DIRECTORY --to DATA [--time TIME]'
[ -z "$(ls -A "$TO" 2> /dev/null)" ] || refuse "$TO is not empty: move it away first."

# The newest copy that was whole by then.
LIMIT=99999999T999999Z
if [ -n "$TIME" ]; then
  # Without an offset it would be the time of this machine's zone.
  echo "$TIME" | grep -Eq '([+-][0-9]{2}(:?[0-9]{2})?|Z)$' || refuse "Say the offset of the time, such as '2026-11-26 02:00:00+00'."
  LIMIT="$(date -u -d "$TIME" +%Y%m%dT%H%M%SZ)" || refuse "$TIME is no time."
fi
BASE=''
for name in $(ls "$FROM/base" | sort); do
  if expr "$name" '<=' "$LIMIT" > /dev/null; then BASE="$name"; fi
done
[ -n "$BASE" ] || refuse "There is no copy in $FROM/base of before that time."

mkdir -p -m 700 "$TO"
cp -a "$FROM/base/$BASE/." "$TO/"
# The last file of the log is unfinished. What was set with ALTER SYSTEM, such as a receiver to wait for, may not be there any more.
{
  echo "restore_command = 'cp \"$FROM/wal/%f\" \"%p\" 2> /dev/null || cp \"$FROM/wal/%f.partial\" \"%p\" 2> /dev/null'"
  echo "synchronous_standby_names = ''"
  echo "recovery_target_action = 'promote'"
  if [ -n "$TIME" ]; then echo "recovery_target_time = '$TIME'"; fi
} >> "$TO/postgresql.auto.conf"
touch "$TO/recovery.signal"
echo "$TO is the copy $BASE; PostgreSQL brings it to ${TIME:-the last transaction that was received} when it starts."
