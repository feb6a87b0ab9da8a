/** Puts rendered parts into the `{{name}}` places of an HTML shell; a place that nothing fills is a mistake. */
export function fillShell(shell, parts) {
  return shell.replace(/\{\{(\w+)\}\}/g, (place, name) => {
    if (parts[name] === undefined) throw new Error(`Nothing fills ${place}`);
    return parts[name];
  });
}
