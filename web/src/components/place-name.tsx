import { countryName } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly city: string;
}

/** «آلمان، فرانکفورت», or the city first where it is the title. */
export function PlaceName({ place, cityFirst = false }: { place: Place; cityFirst?: boolean }) {
  const city = <bdi>{place.city}</bdi>;
  return cityFirst ? (
    <>
      {city}
      {m.comma()}
      {countryName(place.country)}
    </>
  ) : (
    <>
      {countryName(place.country)}
      {m.comma()}
      {city}
    </>
  );
}
