import { tehran } from '../gen/world-map.ts';
import { number, select, selectAll, stillness } from './page.ts';

const connectMs = 2000;

/** disconnected → connecting for two seconds → connected. A choice made while connecting is ignored. */
export function startMapDemo(demo: HTMLElement): void {
  const status = select('[data-map-status]', demo)!;
  const detail = select('[data-map-detail]', demo)!;
  const disconnect = select('[data-map-disconnect]', demo)!;
  const arc = demo.querySelector<SVGPathElement>('[data-arc]')!;
  const buttons = selectAll('[data-location]', demo);
  const points = [...demo.querySelectorAll('circle')];
  const countries = new Intl.DisplayNames(document.documentElement.lang, { type: 'region' });
  const all = select('[data-map-all]', demo)!;
  let connecting = false;

  const say = (sentence: string | undefined, city = '') => {
    status.textContent = (sentence ?? '').replace('{city}', city);
  };
  /** Buttons and points are in the same order. */
  const choose = (chosenIndex: number) => {
    for (const [index, button] of buttons.entries()) button.setAttribute('aria-pressed', String(index === chosenIndex));
    for (const [index, point] of points.entries()) point.toggleAttribute('data-chosen', index === chosenIndex);
    const chosen = points[chosenIndex];
    arc.setAttribute('d', chosen ? arcTo(Number(chosen.getAttribute('cx')), Number(chosen.getAttribute('cy'))) : '');
    if (chosen && !stillness.matches) {
      arc.animate({ strokeDashoffset: [1, 0] }, { duration: connectMs, easing: 'cubic-bezier(.2,.8,.2,1)' });
    }
  };
  const connect = (index: number) => {
    if (connecting) return;
    const button = buttons[index]!;
    const location = button.dataset;
    const country = countries.of(button.firstElementChild?.textContent ?? '') ?? '';
    connecting = true;
    disconnect.hidden = true;
    choose(index);
    say(status.dataset.connecting, location.city);
    detail.textContent = country;
    setTimeout(() => {
      connecting = false;
      disconnect.hidden = false;
      say(status.dataset.connected, location.city);
      detail.textContent = `${country} · ${number(Number(location.ping))} ${status.dataset.ms}`;
    }, connectMs);
  };

  for (const [index, button] of buttons.entries()) button.addEventListener('click', () => connect(index));
  for (const [index, point] of points.entries()) point.addEventListener('click', () => connect(index));
  disconnect.addEventListener('click', () => {
    choose(-1);
    say(status.dataset.idle);
    detail.textContent = detail.dataset.idle ?? '';
    disconnect.hidden = true;
    buttons[0]?.focus({ preventScroll: true });
  });
  all.addEventListener('click', () => {
    const shown = demo.toggleAttribute('data-all');
    all.textContent = (shown ? all.dataset.mapAll : all.dataset.fewer) ?? '';
  });
}

function arcTo(x: number, y: number): string {
  const rise = Math.hypot(x - tehran[0], y - tehran[1]) * 0.28;
  return `M${tehran[0]} ${tehran[1]}Q${(x + tehran[0]) / 2} ${Math.max(4, (y + tehran[1]) / 2 - rise)} ${x} ${y}`;
}
