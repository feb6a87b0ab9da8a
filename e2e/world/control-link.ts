import { must } from './processes.ts';

/** This machine's address for the nodes of all worlds. */
export const CONTROL_ADDRESS = '10.252.0.1';
const HUB = 'raha-hub';
const HUB_ADDRESS = '10.252.0.2';
const LOCK = '/run/raha-hub.lock';
/** A file for each run of the tests that needs the hub, named by its process. */
const RUNS = '/run/raha-hub.runs';

/**
 * The way from the nodes of all worlds to this machine: a namespace that forwards, with one link here. A world adds its link there, for
 * when an address of this machine comes or goes, every Chromium on it gives up what it is loading (ERR_NETWORK_CHANGED), and the
 * journeys of other worlds run beside this one.
 */
export async function openHub(): Promise<void> {
  await withHub(`
    ip netns pids ${HUB} >/dev/null 2>&1 && exit 0
    ip netns add ${HUB}
    trap '[ $? = 0 ] || ip netns del ${HUB}' EXIT
    ip link add ${HUB} type veth peer name here netns ${HUB}
    ip addr add ${CONTROL_ADDRESS}/30 dev ${HUB}
    # An IPv6 address would come into use a second later, when a browser may be open.
    ip link set ${HUB} addrgenmode none
    ip link set ${HUB} up
    ip -n ${HUB} link set lo up
    ip -n ${HUB} addr add ${HUB_ADDRESS}/30 dev here
    ip -n ${HUB} link set here up
    ip netns exec ${HUB} sysctl -qw net.ipv4.ip_forward=1
    ip route add 10.253.0.0/16 via ${HUB_ADDRESS}`);
}

/** For a whole run of the tests, between whose worlds there may be none. */
export async function openHubForRun(): Promise<void> {
  await withHub(`mkdir -p ${RUNS} && touch ${RUNS}/${process.pid}`);
  await openHub();
}

/** Ends a run. Takes the hub away unless another run needs it, or has a world left. */
export async function closeHubForRun(): Promise<void> {
  await withHub(`
    rm -f ${RUNS}/${process.pid}
    for other in $(ls ${RUNS}); do
      kill -0 "$other" 2>/dev/null && exit 0
      rm -f "${RUNS}/$other"
    done
    ip netns pids ${HUB} >/dev/null 2>&1 || exit 0
    [ "$(ip -n ${HUB} -o link show type veth | wc -l)" = 1 ] || exit 0
    ip netns del ${HUB}`);
}

/** Lines for `ip`: a link between the node and the hub. The last two of the four addresses of a /30 are not used. */
export function linkToHub(link: {
  readonly name: string;
  readonly node: string;
  readonly hubAddress: string;
  readonly nodeAddress: string;
}): string[] {
  return [
    `-n ${HUB} link add ${link.name} type veth peer name mgmt netns ${link.node}`,
    `-n ${HUB} addr add ${link.hubAddress}/30 dev ${link.name}`,
    `-n ${HUB} link set ${link.name} up`,
    `-n ${link.node} addr add ${link.nodeAddress}/30 dev mgmt`,
    `-n ${link.node} link set mgmt up`,
    `-n ${link.node} route add ${CONTROL_ADDRESS}/32 via ${link.hubAddress}`,
  ];
}

/** One at a time among all runs of this machine. */
async function withHub(script: string): Promise<void> {
  await must('flock', [LOCK, 'sh', '-e'], { input: script });
}
