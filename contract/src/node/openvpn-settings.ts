import * as z from 'zod/mini';
import { proxyPath } from '../proxy-id.ts';

/** How a node serves OpenVPN, and the further ways of the same configs. */
export const openvpnSettings = z.object({
  port: z.int(),
  address4: z.string(),
  address6: z.string(),
  /** Name servers pushed to devices. */
  resolvers: z.array(z.string()),
  /**
   * PEM. The certificate of the node's own certificate authority, whose private key stays in the control plane; and the
   * node's certificate for the key that it sent.
   */
  certificateAuthority: z.string(),
  certificate: z.string(),
  /** The tls-crypt-v2 server key, as a file of OpenVPN. */
  tlsCryptKey: z.string(),
  /**
   * OpenVPN over TCP as well, for the same devices. Their inner addresses there are those of this network with the same slot.
   * Absent: not at this node.
   */
  tcp: z.optional(
    z.object({
      port: z.int(),
      address4: z.string(),
      address6: z.string(),
      resolvers: z.array(z.string()),
      /** `host:port` of the website that is shown to whatever does not speak OpenVPN. */
      website: z.string(),
    }),
  ),
  /** OpenConnect (ocserv) as well, for the same devices with the same certificates, at their slots of this network. Absent: not here. */
  openconnect: z.optional(
    z.object({
      port: z.int().check(z.gte(1), z.lte(65_535)),
      /** False: TLS over TCP only, without DTLS over UDP. */
      udp: z.boolean(),
      address4: z.string(),
      address6: z.string(),
      resolvers: z.array(z.string()),
      /** PEM. For the same key as OpenVPN's, with the names that clients compare. */
      certificate: z.string(),
    }),
  ),
  /**
   * The proxy as well, for the same configs: a program of the operator's lets in an app with a config's `proxyId`, and sends its traffic from
   * the config's slot of this network, which has no IPv6. Absent: not here.
   */
  proxy: z.optional(
    z.object({
      address4: z.string(),
      /** Of the operator's website on the node, which hands on what is asked for there with an `Upgrade`. */
      path: proxyPath,
    }),
  ),
});

/** How it is with the proxy at a node that is to serve it: it does, it has no program for it, or the program does not run. */
export const proxyStates = ['served', 'no_engine', 'failed'] as const;
export type ProxyState = (typeof proxyStates)[number];
