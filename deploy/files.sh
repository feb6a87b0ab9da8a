# Read by install.sh and upgrade.sh: the files of an installation. ROOT is empty, or a directory for tests; CHANGED counts what was written.
CHANGED=0
RAHA_SETTINGS="$ROOT/etc/raha/raha.env"

refuse() {
  echo "$1" >&2
  exit 1
}

changed() {
  CHANGED=$((CHANGED + 1))
  echo "$1"
}

# place SOURCE TARGET MODE: only if it is not there as it should be.
place() {
  if ! cmp -s "$1" "$2" || [ "$(stat -c %a "$2")" != "${3#0}" ]; then
    mkdir -p "$(dirname "$2")"
    install -m "$3" "$1" "$2"
    changed "written: ${2#"$ROOT"}"
  fi
}

# A directory with its mode and owner.
directory() {
  if [ "$(stat -c %a "$1" 2> /dev/null)" != "${2#0}" ]; then
    install -d -m "$2" "$1"
    changed "made: ${1#"$ROOT"}"
  fi
  [ -n "$ROOT" ] || chown "$3" "$1"
}

# The program of the release in directory $1, which stays as it is for going back.
place_program() {
  directory "$ROOT/opt/raha" 0755 root:root
  directory "$ROOT/opt/raha/releases" 0755 root:root
  VERSION="$(cat "$1/VERSION")"
  RELEASE="$ROOT/opt/raha/releases/$VERSION"
  if [ ! -e "$RELEASE" ]; then
    rm -rf "$RELEASE.new"
    cp -R --no-preserve=ownership "$1" "$RELEASE.new"
    mv "$RELEASE.new" "$RELEASE"
    changed "release $VERSION: /opt/raha/releases/$VERSION"
  fi
}

# The link that the units run. $1 is a version.
point_to() {
  if [ "$(readlink "$ROOT/opt/raha/current" 2> /dev/null)" != "releases/$1" ]; then
    ln -sfn "releases/$1" "$ROOT/opt/raha/current.new"
    mv -T "$ROOT/opt/raha/current.new" "$ROOT/opt/raha/current"
    changed "current release: $1"
  fi
}

place_units() {
  for unit in raha-server@.service raha-worker.service raha.target raha-backup.service raha-backup.timer; do
    # A release that is gone back to may not have it.
    [ -f "$1/deploy/$unit" ] || continue
    place "$1/deploy/$unit" "$ROOT/etc/systemd/system/$unit" 0644
  done
  place "$1/deploy/raha" "$ROOT/usr/local/bin/raha" 0755
  place_backups
}

# What only the operator changes afterwards. $1 is the site, $2 the operator's address.
place_settings() {
  directory "$ROOT/etc/raha" 0750 root:raha
  directory "$ROOT/etc/raha/key" 0700 raha:raha
  directory "$ROOT/var/lib/raha" 0700 raha:raha
  if [ ! -f "$RAHA_SETTINGS" ]; then
    (
      umask 027
      sed -e "s|@SITE@|$1|" -e "s|@OPERATOR@|$2|" "$3/deploy/raha.env.template" > "$RAHA_SETTINGS"
    )
    if [ -n "${SMTP_URL:-}" ]; then
      # A value may hold what sed takes for its own: it is written as it is.
      { grep -v '^SMTP_URL=' "$RAHA_SETTINGS"; printf 'SMTP_URL=%s\n' "$SMTP_URL"; } > "$RAHA_SETTINGS.new"
      cat "$RAHA_SETTINGS.new" > "$RAHA_SETTINGS"
      rm "$RAHA_SETTINGS.new"
    fi
    [ -n "$ROOT" ] || chgrp raha "$RAHA_SETTINGS"
    changed 'written: /etc/raha/raha.env'
  fi
  KEY="$ROOT/etc/raha/key/master.key"
  if [ ! -f "$KEY" ]; then
    (
      umask 077
      head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' > "$KEY"
    )
    [ -n "$ROOT" ] || chown raha:raha "$KEY"
    changed 'written: /etc/raha/key/master.key (keep a copy elsewhere)'
  fi
}

# Where raha-backup.timer writes, and the passphrase that seals the master key in it.
place_backups() {
  directory "$ROOT/var/backups" 0755 root:root
  directory "$ROOT/var/backups/raha" 0700 raha:raha
  directory "$ROOT/etc/raha/backup" 0700 raha:raha
  PASSPHRASE="$ROOT/etc/raha/backup/passphrase"
  if [ ! -f "$PASSPHRASE" ]; then
    (
      umask 077
      head -c 24 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n' > "$PASSPHRASE"
    )
    [ -n "$ROOT" ] || chown raha:raha "$PASSPHRASE"
    changed 'written: /etc/raha/backup/passphrase (keep a copy elsewhere: the backups are of no use without it)'
  fi
}

# $1 is the site, $2 the operator's address for the certificate, $3 the release.
place_proxy() {
  case "$1" in
    *.test | *.local | localhost) TLS='tls internal' ;;
    *) TLS="tls $2" ;;
  esac
  WRITTEN="$(mktemp)"
  sed -e "s|^SITE|$1|" -e "s|^\tTLS|\t$TLS|" "$3/deploy/Caddyfile.template" > "$WRITTEN"
  place "$WRITTEN" "$ROOT/etc/caddy/Caddyfile" 0644
  printf '[Service]\nRuntimeDirectory=caddy\n' > "$WRITTEN"
  place "$WRITTEN" "$ROOT/etc/systemd/system/caddy.service.d/raha.conf" 0644
  rm "$WRITTEN"
}
