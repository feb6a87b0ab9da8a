/**
 * What an AmneziaWG client sends before each handshake, by the names of its file: `Jc` packets of `Jmin` to `Jmax` random bytes. A
 * plain WireGuard server drops them, and answers the handshake as long as S1 and S2 (bytes before its first two messages) are 0 and
 * H1 to H4 (its message types) are WireGuard's own (docs.amnezia.org, AmneziaWG; WireGuard whitepaper, section 5.4). 40 to 70 bytes
 * are shorter than any first message of WireGuard's, and are what clients with such a mode of their own use.
 */
export const wireguardJunk = { Jc: 4, Jmin: 40, Jmax: 70, S1: 0, S2: 0, H1: 1, H2: 2, H3: 3, H4: 4 } as const;
