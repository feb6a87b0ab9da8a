import { select, selectAll, stillness } from './page.ts';

const turnEveryMs = 6000;

/** Turns the features; rests while somebody points at them, is in them, asked for rest, or cannot see them. */
export function startCarousel(track: HTMLElement): void {
  const section = track.closest('section')!;
  const slides = selectAll('li', track);
  const dots = selectAll('[data-carousel-dots] button', section);
  const pause = select('[data-carousel-pause]', section)!;
  let current = 0;
  let stopped = stillness.matches;
  let visible = true;
  /** Where a scroll of ours is going; until it has ended, or a hand interferes, what stands at the start means nothing. */
  let aim: number | undefined;
  pause.setAttribute('aria-pressed', String(stopped));

  /** As many stops as scrolling can reach: the last slides fill the row together. */
  const stops = () => slides.length - Math.max(1, Math.round(track.clientWidth / slides[0]!.offsetWidth)) + 1;
  const distance = (index: number) => {
    const own = track.getBoundingClientRect();
    const slide = slides[index]!.getBoundingClientRect();
    return getComputedStyle(track).direction === 'rtl' ? slide.right - own.right : slide.left - own.left;
  };
  const show = (index: number) => {
    current = aim = (index + stops()) % stops();
    track.scrollBy({ left: distance(current), behavior: stillness.matches ? 'auto' : 'smooth' });
    mark();
  };
  const mark = () => {
    for (const [index, dot] of dots.entries()) {
      dot.hidden = index >= stops();
      dot.setAttribute('aria-current', String(index === current));
    }
  };
  mark();

  for (const [index, dot] of dots.entries()) dot.addEventListener('click', () => show(index));
  for (const button of selectAll('[data-carousel-step]', section)) {
    button.addEventListener('click', () => show(current + Number(button.dataset.carouselStep)));
  }
  pause.addEventListener('click', () => {
    stopped = !stopped;
    pause.setAttribute('aria-pressed', String(stopped));
  });
  // By hand, too: whichever slide stands at the start is the current one.
  track.addEventListener('scroll', () => {
    if (aim !== undefined) return;
    const nearest = slides.map((_, index) => Math.abs(distance(index)));
    current = Math.min(nearest.indexOf(Math.min(...nearest)), stops() - 1);
    mark();
  });
  for (const end of ['scrollend', 'wheel', 'touchstart', 'pointerdown', 'keydown'])
    track.addEventListener(end, () => (aim = undefined), { passive: true });
  addEventListener('resize', mark);
  new IntersectionObserver((entries) => {
    visible = entries.at(-1)!.isIntersecting;
  }).observe(track);
  setInterval(() => {
    const attended = section.matches(':hover') || section.matches(':focus-within');
    if (!stopped && visible && !attended && document.visibilityState === 'visible') show(current + 1);
  }, turnEveryMs);
}
