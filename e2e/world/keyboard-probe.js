/** Runs in the page: notes what has the focus after each key, and what is wrong with that. See keyboard.ts. */
{
  const STOPS = [
    ...[
      'a[href]',
      'button',
      'input:not([type=hidden])',
      'select',
      'textarea',
      'summary',
      '[role=button]',
      '[role=tab]',
    ],
    ...['[role=switch]', '[role=menuitem]', '[role=radio]', '[role=checkbox]', '[tabindex="0"]'],
  ].join();
  let root = document.body;
  let order = [];
  let unseen = [];
  let backwards = [];
  let last;

  const isWanted = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.matches(':disabled') &&
    !element.closest('[inert], [aria-hidden=true]');

  const describe = (element) => {
    const label = (element.getAttribute('aria-label') ?? element.innerText ?? '').trim().slice(0, 40);
    return `${element.tagName.toLowerCase()} ${label || element.outerHTML.slice(0, 120)}`;
  };

  /** A picture that leads where the words beside it lead, too. */
  const isSecond = (element) => {
    const sameWay = (other) => other !== element && other.href === element.href;
    return element.matches('a[tabindex="-1"]') && order.some(sameWay);
  };

  /** Of tabs, radio buttons and the like one is a stop; the arrows lead to the others. */
  const isInGroup = (element) =>
    (element.type === 'radio' && order.some(({ name, type }) => type === 'radio' && name === element.name)) ||
    (element.tabIndex === -1 && element.closest('[role=tablist], [role=radiogroup], [role=toolbar], [role=menu]'));

  /** Looks in the middle of a transition are no looks. */
  const endTransitions = () => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  };

  /** How it and what shows its focus look: a switch's box is beside it, a field's frame around it. */
  const lookOf = (element) => {
    endTransitions();
    return [element, element.parentElement, element.nextElementSibling, element.closest('label')]
      .filter((one) => one !== null)
      .flatMap((one) => [undefined, '::before', '::after'].map((part) => getComputedStyle(one, part)))
      .map((style) => [style.outline, style.boxShadow, style.borderColor, style.backgroundColor, style.clipPath].join())
      .join(';');
  };

  const boxOf = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return new DOMRect(x, y + scrollY, width, height);
  };

  /** Above, and neither in the next column nor in a part of the page beside the text. */
  const isBackwards = (from, to) => {
    if (!from.element.closest('main') || !to.element.closest('main') || to.box.bottom > from.box.top) return false;
    const isRtl = document.documentElement.dir === 'rtl';
    return isRtl ? to.box.right > from.box.left + 8 : to.box.left < from.box.right - 8;
  };

  const compareLast = () => {
    if (!last?.element.isConnected || document.activeElement === last.element) return;
    if (lookOf(last.element) === last.look) unseen.push(`looks the same with the focus: ${describe(last.element)}`);
  };

  globalThis.keyboardProbe = {
    begin: (within) => {
      root = within;
      order = [];
      unseen = [];
      backwards = [];
      last = undefined;
    },
    note: () => {
      compareLast();
      const element = document.activeElement;
      if (!element || element === document.body) {
        last = undefined;
        return -1;
      }
      if (!order.includes(element)) order.push(element);
      const now = { element, box: boxOf(element), look: lookOf(element) };
      if (last && order.at(-1) === element && isBackwards(last, now)) {
        backwards.push(`after ${describe(last.element)}: ${describe(element)}`);
      }
      last = now;
      return order.indexOf(element);
    },
    end: () => {
      compareLast();
      const missed = [...root.querySelectorAll(STOPS)].filter(
        (one) => isWanted(one) && !order.includes(one) && !isSecond(one) && !isInGroup(one),
      );
      return {
        missed: missed.map((element) => `never focused: ${describe(element)}`),
        unseen: [...new Set(unseen)],
        backwards,
        stops: order.length,
      };
    },
  };
}
