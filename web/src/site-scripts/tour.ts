import { select, selectAll, stillness } from './page.ts';

const sceneMs = 4500;
let timer: ReturnType<typeof setInterval> | undefined;

/** Opens the drawn walk-through from its beginning; it turns its scenes until paused, left or finished. */
export function openTour(): void {
  const dialog = select<HTMLDialogElement>('[data-tour]')!;
  const scenes = selectAll('[data-scene]', dialog);
  const dots = selectAll('[data-tour-dot]', dialog);
  const pause = select('[data-tour-pause]', dialog)!;
  let current = 0;

  const show = (index: number) => {
    current = index;
    for (const [at, scene] of scenes.entries()) scene.hidden = at !== index;
    for (const [at, dot] of dots.entries()) dot.setAttribute('aria-current', String(at === index));
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    pause.setAttribute('aria-pressed', 'true');
  };
  const play = () => {
    clearInterval(timer);
    pause.setAttribute('aria-pressed', 'false');
    timer = setInterval(() => {
      if (current + 1 < scenes.length) show(current + 1);
      else stop();
    }, sceneMs);
  };

  for (const [index, dot] of dots.entries()) {
    dot.onclick = () => {
      show(index);
      stop();
    };
  }
  pause.onclick = () => {
    if (timer) return stop();
    if (current + 1 === scenes.length) show(0);
    play();
  };
  select('[data-tour-close]', dialog)!.onclick = () => dialog.close();
  // A press beside the dialog arrives at the dialog itself.
  dialog.onclick = ({ target }) => {
    if (target === dialog) dialog.close();
  };
  dialog.onclose = stop;
  show(0);
  dialog.showModal();
  if (stillness.matches) stop();
  else play();
}
