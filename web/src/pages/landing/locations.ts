import type { Locale } from '@raha/contract/locale.ts';
/**
 * The places of the landing page's demonstration. Coordinates are real; pings and the premium mark are samples, and the
 * page says so. They are no statement about which servers exist: that list is the panel's.
 */
export interface Location {
  readonly key: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly city: Readonly<Record<Locale, string>>;
  readonly latitude: number;
  readonly longitude: number;
  readonly pingMs: number;
  readonly premium: boolean;
  readonly primary: boolean;
}

const table: readonly [string, string, string, number, number, number, boolean][] = [
  ['DE', 'فرانکفورت', 'Frankfurt', 50.11, 8.68, 38, true],
  ['NL', 'آمستردام', 'Amsterdam', 52.37, 4.9, 44, true],
  ['TR', 'استانبول', 'Istanbul', 41.01, 28.98, 52, false],
  ['AE', 'دبی', 'Dubai', 25.2, 55.27, 47, false],
  ['GB', 'لندن', 'London', 51.51, -0.13, 58, true],
  ['FI', 'هلسینکی', 'Helsinki', 60.17, 24.94, 61, false],
  ['US', 'نیویورک', 'New York', 40.71, -74.01, 128, true],
  ['SG', 'سنگاپور', 'Singapore', 1.35, 103.82, 117, true],
  ['FR', 'پاریس', 'Paris', 48.86, 2.35, 55, false],
  ['SE', 'استکهلم', 'Stockholm', 59.33, 18.07, 64, false],
  ['CH', 'زوریخ', 'Zurich', 47.38, 8.54, 49, true],
  ['AT', 'وین', 'Vienna', 48.21, 16.37, 46, false],
  ['PL', 'ورشو', 'Warsaw', 52.23, 21.01, 57, false],
  ['ES', 'مادرید', 'Madrid', 40.42, -3.7, 72, false],
  ['IT', 'میلان', 'Milan', 45.46, 9.19, 54, false],
  ['RO', 'بخارست', 'Bucharest', 44.43, 26.1, 59, false],
  ['CZ', 'پراگ', 'Prague', 50.08, 14.44, 48, false],
  ['NO', 'اسلو', 'Oslo', 59.91, 10.75, 69, false],
  ['CA', 'تورنتو', 'Toronto', 43.65, -79.38, 141, false],
  ['US', 'لس‌آنجلس', 'Los Angeles', 34.05, -118.24, 186, true],
  ['US', 'شیکاگو', 'Chicago', 41.88, -87.63, 149, false],
  ['BR', 'سائوپائولو', 'São Paulo', -23.55, -46.63, 214, false],
  ['JP', 'توکیو', 'Tokyo', 35.68, 139.69, 162, true],
  ['KR', 'سئول', 'Seoul', 37.57, 126.98, 171, false],
  ['HK', 'هنگ‌کنگ', 'Hong Kong', 22.32, 114.17, 138, false],
  ['IN', 'بمبئی', 'Mumbai', 19.08, 72.88, 79, false],
  ['AU', 'سیدنی', 'Sydney', -33.87, 151.21, 239, false],
  ['ZA', 'ژوهانسبورگ', 'Johannesburg', -26.2, 28.05, 188, false],
];
const primaryCount = 8;

export const locations: readonly Location[] = table.map(
  ([country, fa, en, latitude, longitude, pingMs, premium], i) => ({
    key: en.toLowerCase().replace(/[^a-z]+/g, '-'),
    country,
    city: { fa, en },
    latitude,
    longitude,
    pingMs,
    premium,
    primary: i < primaryCount,
  }),
);
