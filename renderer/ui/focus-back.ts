// When a dialog closes, the focus goes back to what opened it. If that is gone, as the item of a menu is, it goes to
// what had the focus before. Mantine does this only for dialogs that are mounted while they are closed. After a click
// or a tap nothing gets the focus: Space would press the button again instead of pausing the music.

const PORTALS = '[data-portal]';
const DIALOG = '[role="dialog"]';
const CAN_TAKE_FOCUS = 'a[href], button, input, select, textarea, [tabindex]';
const MAX_REMEMBERED = 16;
/** Mantine returns the focus by itself within this time where it can. */
const AFTER_MANTINE_MS = 30;

interface Remembered {
  element: HTMLElement;
  /** From the nearest on; one of them is still there when the element was replaced, as in a row that is drawn again. */
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
    if (changes.some(({ removedNodes }) => removedNodes.length > 0)) setTimeout(giveBack, AFTER_MANTINE_MS);
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

/** Returns the ancestors within the body, the nearest first. */
function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement)
    ancestors.push(parent);
  return ancestors;
}

/**
 * Returns the element, or what stands in its place: in the nearest ancestor that is left, the element with the same
 * name, else the first one that takes the focus.
 */
function presentOf({ element, ancestors }: Remembered): HTMLElement | undefined {
  if (element.isConnected) return element;
  const ancestor = ancestors.find(({ isConnected }) => isConnected);
  if (!ancestor || ancestor.matches(PORTALS)) return undefined;
  const candidates = [...ancestor.querySelectorAll<HTMLElement>(CAN_TAKE_FOCUS)];
  const name = element.ariaLabel;
  return candidates.find(({ ariaLabel }) => name !== null && ariaLabel === name) ?? candidates[0];
}
