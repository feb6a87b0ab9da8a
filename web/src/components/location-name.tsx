import { cityName } from '../text/cities.ts';
import { countryName } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { currentLocale } from '../text/locale.ts';

interface Location {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly city: string;
}

/** «فرانکفورت، آلمان», in this order everywhere. */
export function LocationName({ location }: { location: Location }) {
  return (
    <>
      <bdi>{cityName(location.city, currentLocale())}</bdi>
      {m.comma()}
      {countryName(location.country)}
    </>
  );
}
