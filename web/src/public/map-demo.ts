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
  const points = [...demo.querySelectorAll<SVGCircleElement>('[data-place]')];
  const all = select('[data-map-all]', demo)!;
  let connecting = false;

  const say = (sentence: string | undefined, city = '') => {
    status.textContent = (sentence ?? '').replace('{city}', city);
  };
  const choose = (key: string | undefined) => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.location === key));
    for (const point of points) point.toggleAttribute('data-chosen', point.dataset.place === key);
    const chosen = points.find((point) => point.dataset.place === key);
    arc.setAttribute('d', chosen ? arcTo(Number(chosen.getAttribute('cx')), Number(chosen.getAttribute('cy'))) : '');
    if (chosen && !stillness.matches) {
      arc.animate({ strokeDashoffset: [1, 0] }, { duration: connectMs, easing: 'cubic-bezier(.2,.8,.2,1)' });
    }
  };
  const connect = (key: string) => {
    if (connecting) return;
    const place = buttons.find((button) => button.dataset.location === key)!.dataset;
    connecting = true;
    disconnect.hidden = true;
    choose(key);
    say(status.dataset.connecting, place.city);
    detail.textContent = place.countryName ?? '';
    setTimeout(() => {
      connecting = false;
      disconnect.hidden = false;
      say(status.dataset.connected, place.city);
      detail.textContent = `${place.countryName} · ${number(Number(place.ping))} ms`;
    }, connectMs);
  };

  for (const button of buttons) button.addEventListener('click', () => connect(button.dataset.location!));
  for (const point of points) point.addEventListener('click', () => connect(point.dataset.place!));
  disconnect.addEventListener('click', () => {
    choose(undefined);
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
