import type { Page } from 'playwright-core';

/** The smallest phone that we serve, upright, a usual one that lies on its side, and the narrowest tablet. */
export const smallSizes = [
  { width: 320, height: 640 },
  { width: 740, height: 360 },
  { width: 768, height: 1024 },
] as const;

/**
 * Controls that a finger cannot reach on a small screen: something lies over them when they are scrolled to the middle, or they
 * reach beyond the edge. In words, with the size; the size of before is put back.
 */
export async function findCovered(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const covered: string[] = [];
  for (const size of smallSizes) {
    await page.setViewportSize(size);
    // Two frames: the layout follows the size in the first.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const found = await page.evaluate(coveredControls);
    covered.push(...found.map((sentence) => `${page.url()}, ${size.width}×${size.height}: ${sentence}`));
  }
  if (before) await page.setViewportSize(before);
  return covered;
}

/** Runs in the page. */
function coveredControls(): string[] {
  const dialogs = document.querySelectorAll('[role=dialog], [role=alertdialog]');
  const within = dialogs[dialogs.length - 1] ?? document;
  const found: string[] = [];
  for (const control of within.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')) {
    const style = getComputedStyle(control);
    const box = control.getBoundingClientRect();
    // Hidden, or for screen readers only: its label is what is touched.
    if (!control.checkVisibility() || style.opacity === '0' || box.width < 3 || box.height < 3) continue;
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const { left, right, top, bottom } = control.getBoundingClientRect();
    const name = (control.getAttribute('aria-label') ?? control.textContent ?? control.id).trim().slice(0, 40);
    const isInScroller = control.closest('[data-scrolls-sideways]') !== null;
    if (!isInScroller && (left < -1 || right > innerWidth + 1)) {
      found.push(`"${name}" is cut at the edge (${Math.round(left)} to ${Math.round(right)})`);
      continue;
    }
    const hit = document.elementFromPoint((left + right) / 2, (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2);
    const isReached = hit !== null && (control.contains(hit) || hit.contains(control) || isLabelOf(hit, control));
    if (!isReached) found.push(`"${name}" is covered by ${hit ? hit.outerHTML.slice(0, 80) : 'nothing'}`);
  }
  scrollTo(0, 0);
  return found;

  function isLabelOf(hit: Element, control: HTMLElement): boolean {
    const label = hit.closest('label');
    return label !== null && label.control === control;
  }
}
