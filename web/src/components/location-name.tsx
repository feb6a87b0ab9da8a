import { countryName } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

interface Location {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly city: string;
}

/** «آلمان، فرانکفورت», or the city first if it serves as a title. */
export function LocationName({ location, cityFirst = false }: { location: Location; cityFirst?: boolean }) {
  const city = <bdi>{location.city}</bdi>;
  return cityFirst ? (
    <>
      {city}
      {m.comma()}
      {countryName(location.country)}
    </>
  ) : (
    <>
      {countryName(location.country)}
      {m.comma()}
      {city}
    </>
  );
}
