import { describe, expect, test } from 'vitest';
import { automaticClaim, type ClaimName, decideClaim, sampleClaims } from './site-claims.ts';
import { conditionMarks, fillPlaceholders, placeholder, type SiteValues, when } from './site-placeholders.ts';

const nothing = { value: null, isSample: false };
const names = Object.keys(sampleClaims) as ClaimName[];

function valuesWith(claims: Partial<SiteValues['claims']>, demonstrations = false): SiteValues {
  const all = Object.fromEntries(names.map((name) => [name, nothing]));
  return { brand: 'A & B', claims: { ...all, ...claims }, demonstrations } as unknown as SiteValues;
}

const [ifServers, endServers] = conditionMarks('servers');
const [ifSample, endSample] = conditionMarks('sample-servers');
const page = `<p>a${ifServers}<b>${placeholder('servers')}${ifSample}<i>sample</i>${endSample}</b>${endServers}z</p>`;

describe('a part of a page with a condition', () => {
  test.each([
    ['a claim that nobody states is left out with all that stands around it', nothing, '<p>az</p>'],
    ['a stated claim stands without a mark', { value: 5000, isSample: false }, '<p>a<b>5,000</b>z</p>'],
    ['a sample is marked', { value: 5000, isSample: true }, '<p>a<b>5,000<i>sample</i></b>z</p>'],
    ['zero is a statement', { value: 0, isSample: false }, '<p>a<b>0</b>z</p>'],
  ])('%s', (_, servers, expected) => {
    expect(fillPlaceholders(page, valuesWith({ servers }), 'en')).toBe(expected);
  });

  test('simulated figures stand only where they may', () => {
    const [before, after] = conditionMarks('demonstrations');
    const [ifReal, endReal] = conditionMarks('production');
    const either = `${before}demo${after}${ifReal}real${endReal}`;
    expect(fillPlaceholders(either, valuesWith({}, true), 'en')).toBe('demo');
    expect(fillPlaceholders(either, valuesWith({}, false), 'en')).toBe('real');
  });

  test.each([
    [0, 14, 'some, by mail'],
    [7, 0, 'some'],
    [0, 0, 'none'],
  ])('free days: %i with a password, %i without one', (passwordDays, passwordlessDays, expected) => {
    const values = { ...valuesWith({}), passwordDays, passwordlessDays };
    const text = when('trial', 'some') + when('passwordless-trial', ', by mail') + when('no-trial', 'none');
    expect(fillPlaceholders(text, values, 'en')).toBe(expected);
  });

  test('names of the operator are escaped', () => {
    expect(fillPlaceholders(placeholder('brand'), valuesWith({}), 'en')).toBe('A &#38; B');
  });
});

describe('which figure a claim shows', () => {
  test.each(names)('%s: in production a sample never stands', (name) => {
    expect(decideClaim(name, automaticClaim, { known: undefined, isProduction: true })).toEqual(nothing);
    expect(decideClaim(name, automaticClaim, { known: 3, isProduction: true })).toEqual({ value: 3, isSample: false });
    expect(decideClaim(name, automaticClaim, { known: 3, isProduction: false })).toEqual({
      value: sampleClaims[name],
      isSample: true,
    });
    for (const isProduction of [true, false])
      expect(decideClaim(name, 12, { known: 3, isProduction })).toEqual({ value: 12, isSample: false });
  });
});
