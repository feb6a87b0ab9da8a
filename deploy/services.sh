# Read by install.sh and upgrade.sh, after files.sh: what they do with the running services.

# By the release $1, with the settings of the services, as their user, outside of their sandbox.
migrate() {
  (
    cd "/opt/raha/releases/$1"
    export NODE_ENV=production LOCAL_NODE=off DATA_DIR=/var/lib/raha MASTER_KEY_FILE=/etc/raha/key/master.key
    setpriv --reuid raha --regid raha --init-groups -- \
      runtime/node --env-file="$RAHA_SETTINGS" server/src/main.ts migrate
  )
}

# Thirty seconds at most. $1 is the port.
wait_ready() {
  /opt/raha/current/runtime/node -e '
    const end = Date.now() + 30_000;
    const ask = async () => {
      const ready = await fetch(`http://127.0.0.1:${process.argv[1]}/readyz`).then(({ ok }) => ok, () => false);
      if (ready) process.exit(0);
      if (Date.now() > end) process.exit(1);
      setTimeout(ask, 100);
    };
    ask();
  ' "$1"
}
