// When a dialog closes, the focus goes back to what opened it. If that is gone, as the item of a menu is, it goes to
// what had the focus before. Mantine does this only for dialogs that are mounted while they are closed. After a click
// or a tap nothing gets the focus: Space would press the button again instead of pausing the music.

const PORTALS = '[data-portal]';
const DIALOG = '[role="dialog"]';
const CAN_TAKE_FOCUS = 'a[href], button, input, select, textarea, [tabindex]';
const MAX_REMEMBERED = 16;
/** Mantine returns the focus within this time, where it can do so itself. */
const AFTER_MANTINE_MS = 30;

interface Remembered {
  element: HTMLElement;
  /** The nearest is the first. One of them is still there if the element was replaced, as when a row is drawn again. */
  ancestors: HTMLElement[];
}

/** Starts to watch the focus; the result ends it. */
export function watchFocus(): () => void {
  /** What had the focus by keyboard, oldest first; null after a click. */
  let focusHistory: (Remembered | null)[] = [];
  const remember = (element: HTMLElement | null): void => {
    const others = focusHistory.filter((remembered) => remembered?.element !== element);
    focusHistory = [...others, element && { element, ancestors: ancestorsOf(element) }].slice(-MAX_REMEMBERED);
  };
  const isNowhere = (): boolean => document.activeElement === document.body;

  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    if (target.matches(':focus-visible')) remember(target);
    else if (!target.closest(PORTALS)) remember(null);
  };
  const onBlur = ({ target }: FocusEvent): void => {
    setTimeout(() => {
      const wasLeft = target instanceof HTMLElement && target.isConnected && !target.closest(PORTALS);
      if (isNowhere() && wasLeft) remember(null);
    });
  };
  const giveBack = (): void => {
    if (!isNowhere()) return;
    for (const remembered of focusHistory.toReversed()) {
      if (!remembered) return;
      const target = presentOf(remembered);
      // another dialog may still be open, and keeps the focus
      if (document.querySelector(DIALOG) === null || target?.closest(DIALOG)) target?.focus({ preventScroll: true });
      if (!isNowhere()) return;
    }
  };

  const observer = new MutationObserver((changes) => {
    if (changes.some(({ removedNodes }) => [...removedNodes].some(containsDialog)))
      setTimeout(giveBack, AFTER_MANTINE_MS);
    observePortals();
  });
  const observePortals = (): void => {
    observer.observe(document.body, { childList: true });
    for (const portal of document.querySelectorAll(PORTALS))
      observer.observe(portal, { childList: true, subtree: true });
  };
  observePortals();
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
  };
}

const containsDialog = (node: Node): boolean =>
  node instanceof Element && (node.matches(DIALOG) || node.querySelector(DIALOG) !== null);

/** Returns the ancestors within the body, the nearest first. */
function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement)
    ancestors.push(parent);
  return ancestors;
}

/**
 * Returns the element, or what stands in its place. That is the element with the same name in the nearest ancestor that
 * is left, else this ancestor, else the first element in it that takes the focus.
 */
function presentOf({ element, ancestors }: Remembered): HTMLElement | undefined {
  if (element.isConnected) return element;
  const ancestor = ancestors.find(({ isConnected }) => isConnected);
  if (!ancestor || ancestor.matches(PORTALS)) return undefined;
  const candidates = [...ancestor.querySelectorAll<HTMLElement>(CAN_TAKE_FOCUS)];
  const name = element.ariaLabel;
  const isSame = ({ ariaLabel }: HTMLElement): boolean => name !== null && ariaLabel === name;
  return candidates.find(isSame) ?? (ancestor.matches(CAN_TAKE_FOCUS) ? ancestor : candidates[0]);
}
