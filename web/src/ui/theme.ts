/** Dark or light, as a class and `data-theme` on the root. The inline script of the pages sets it before first paint. */
export type Theme = 'dark' | 'light';

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

export function toggleTheme(): void {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark';
  const apply = () => setTheme(theme);
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still || !('startViewTransition' in document)) apply();
  // A second press ends the first fade early, which the browser reports as a rejected promise.
  else document.startViewTransition(apply).ready.catch(() => undefined);
}

function setTheme(theme: Theme): void {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.classList.remove('dark', 'light');
  root.classList.add(theme);
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Storage may be forbidden; the choice then lasts for this page only.
  }
}
