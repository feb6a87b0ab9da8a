import { settingsChanged } from '../api/local-settings.ts';

type Choice = 'dark' | 'light' | 'auto';

const system = matchMedia('(prefers-color-scheme: dark)');

/** Dark, light, or following the device. */
export function chooseTheme(choice: Choice): void {
  try {
    localStorage.setItem('theme', choice);
  } catch {
    // Storage may be forbidden; the choice then lasts for this page only.
  }
  apply(choice);
  settingsChanged();
}

/** Follows the device as long as neither theme is chosen. Returns a function that stops it. */
export function followDevice(): () => void {
  const follow = () => {
    let stored: string | null = null;
    try {
      stored = localStorage.getItem('theme');
    } catch {
      // Storage may be forbidden.
    }
    if (stored !== 'dark' && stored !== 'light') apply('auto');
  };
  system.addEventListener('change', follow);
  return () => system.removeEventListener('change', follow);
}

function apply(choice: Choice): void {
  const theme = choice === 'auto' ? (system.matches ? 'dark' : 'light') : choice;
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.classList.remove('dark', 'light');
  root.classList.add(theme);
}
