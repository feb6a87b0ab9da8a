import { number, select, selectAll } from './page.ts';
import {
  degreesFromIran,
  type Priority,
  type ReasonTexts,
  recommend,
  type Sample,
  sayReasons,
  type Usage,
} from './score-locations.ts';

const analysisMs = 2000;

/** Step 0 chooses, step 1 thinks for two seconds and suggests three, step 2 is connected; then again from the start. */
export function startAssistant(demo: HTMLElement): void {
  const form = select<HTMLFormElement>('form', demo)!;
  const says = select('[data-assistant-says]', demo)!;
  const wait = select('[data-assistant-wait]', demo)!;
  const results = select('[data-assistant-results]', demo)!;
  const connected = select('[data-assistant-connected]', demo)!;
  const texts = JSON.parse(results.dataset.assistantResults!) as ReasonTexts;
  const locations = selectAll('[data-location]').map(({ dataset, firstElementChild }) => ({
    city: dataset.city ?? '',
    country: firstElementChild?.textContent ?? '',
    latitude: Number(dataset.latitude),
    longitude: Number(dataset.longitude),
    pingMs: Number(dataset.ping),
    premium: dataset.premium !== undefined,
  }));

  /** The focused element disappears with its step, so the focus moves to the next one, and a screen reader with it. */
  const goTo = (step: number, focused: HTMLElement) => {
    for (const part of selectAll('[data-assistant-step]', demo))
      part.hidden = part.dataset.assistantStep !== String(step);
    for (const item of selectAll('[data-step]', demo)) {
      if (item.dataset.step === String(step)) item.setAttribute('aria-current', 'step');
      else item.removeAttribute('aria-current');
    }
    focused.focus({ preventScroll: true });
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = new FormData(form);
    wait.hidden = false;
    results.hidden = true;
    says.textContent = says.dataset.analysing ?? '';
    goTo(1, says);
    setTimeout(() => {
      const usage = chosen.get('usage') as Usage;
      const best = recommend(locations, chosen.get('priority') as Priority, usage);
      for (const [index, row] of selectAll('[data-suggestion]', demo).entries()) fillRow(row, best[index]!, texts);
      const name = select(`[value=${usage}]`, form)!.parentElement!.textContent!.toLowerCase();
      says.textContent = says.dataset.result!.replace('{usage}', name);
      wait.hidden = true;
      results.hidden = false;
    }, analysisMs);
  });
  for (const button of selectAll('[data-choose]', demo)) {
    button.addEventListener('click', () => {
      const city = select('[data-city]', button.closest('li')!)?.textContent ?? '';
      connected.textContent = connected.dataset.assistantConnected?.replace('{city}', city) ?? '';
      goTo(2, connected);
    });
  }
  select('[data-assistant-restart]', demo)!.addEventListener('click', () => goTo(0, select('input:checked', form)!));
}

function fillRow(
  row: HTMLElement,
  location: ReturnType<typeof recommend<Sample & { city: string; country: string }>>[number],
  texts: ReasonTexts,
): void {
  for (const city of selectAll('[data-city]', row)) city.textContent = ` ${location.city}`;
  select('[data-country]', row)!.textContent = location.country;
  select('[data-reason]', row)!.textContent = sayReasons(texts, location.reasons, (part) =>
    number(part === 'ping' ? location.pingMs : Math.round(degreesFromIran(location))),
  );
}
