import { expect, test } from 'vitest';
import { locations } from '../pages/landing/locations.ts';
import { cityName } from './cities.ts';

test.each([
  ['Frankfurt', 'فرانکفورت'],
  [' PARIS ', 'پاریس'],
  ['São Paulo', 'سائوپائولو'],
  ['Düsseldorf', 'دوسلدورف'],
  ['Nowhere', 'Nowhere'],
  ['فرانکفورت', 'فرانکفورت'],
])('%s', (city, persian) => {
  expect(cityName(city, 'fa')).toBe(persian);
  expect(cityName(city, 'en')).toBe(city);
});

test('the cities of the landing page’s map have the same names', () => {
  for (const { city } of locations) expect(cityName(city.en, 'fa')).toBe(city.fa);
});
