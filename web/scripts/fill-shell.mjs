/** A static page in its shell, which is written in Persian so that it is a valid page by itself. */
export function pourPage(shell, { lang, dir, ...parts }) {
  const page = shell.replace('<html lang="fa" dir="rtl">', `<html lang="${lang}" dir="${dir}">`);
  return fillShell(lang === 'fa' ? page : page.replace('/manifest.', `/manifest-${lang}.`), parts);
}

/** Puts rendered parts into the `{{name}}` places of an HTML shell; a place that nothing fills is a mistake. */
export function fillShell(shell, parts) {
  return shell.replace(/\{\{(\w+)\}\}/g, (placeholder, name) => {
    if (parts[name] === undefined) throw new Error(`Nothing fills ${placeholder}`);
    return parts[name];
  });
}
