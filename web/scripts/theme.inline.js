// The stored theme, or the system's, before the first paint. Inlined into every page; its hash is in the policy.
((root) => {
  let theme;
  try {
    theme = localStorage.getItem('theme');
  } catch {}
  if (theme !== 'dark' && theme !== 'light') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  root.dataset.theme = theme;
  root.classList.add(theme);
})(document.documentElement);
