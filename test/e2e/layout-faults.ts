import type { Page } from 'playwright-core';

/** A letter that the pseudo-language has only in texts of the interface, not in names of music. */
const INTERFACE = 'ő';

/**
 * Returns the faults of the current layout: texts and controls that are cut off or beyond an edge, texts that overlap,
 * covered controls. Names may end in an ellipsis, texts of the interface may not.
 */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate(findFaults, INTERFACE);

/** Runs in the page: searches for the faults. */
function findFaults(ofInterface: string): string[] {
  const SLACK_PX = 1.5;
  const controls =
    'button, a[href], input, select, textarea, [role=tab], [role=menuitem], [role=switch], [role=slider]';
  const faults = new Set<string>();
  const styles = new Map<Element, CSSStyleDeclaration>();
  const styleOf = (element: Element): CSSStyleDeclaration => {
    const cachedStyle = styles.get(element);
    if (cachedStyle) return cachedStyle;
    const style = getComputedStyle(element);
    styles.set(element, style);
    return style;
  };
  const describeElement = (element: Element): string => {
    const { tagName, classList } = element;
    return `${tagName.toLowerCase()}${[...classList].map((name) => `.${name}`).join('')}`;
  };
  const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const isSeen = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest('.visually-hidden, [inert], dialog:not([open])');
  const isInterface = (text: string): boolean => text.includes(ofInterface);

  /** Returns the elements that clip an element, innermost first, up to the element that scrolls. */
  const clips = (from: Element, isHorizontal: boolean): { box: Element; edge: DOMRect }[] => {
    const clipping: { box: Element; edge: DOMRect }[] = [];
    for (let box: Element | null = from; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY, position } = styleOf(box);
      const overflow = isHorizontal ? overflowX : overflowY;
      if (overflow === 'auto' || overflow === 'scroll') break;
      if (overflow !== 'visible') clipping.push({ box, edge: box.getBoundingClientRect() });
      if (position === 'fixed') break;
    }
    return clipping;
  };
  const isEllipsized = (from: Element, box: Element, text: string): boolean => {
    for (let ancestor: Element | null = from; ancestor; ancestor = ancestor === box ? null : ancestor.parentElement) {
      const { textOverflow, webkitLineClamp } = styleOf(ancestor);
      if (textOverflow === 'ellipsis' || (webkitLineClamp !== 'none' && webkitLineClamp !== ''))
        return webkitLineClamp === 'none' || webkitLineClamp === '' ? !isInterface(text) : true;
    }
    return false;
  };
  const inWindow = ({ left, right, top, bottom }: DOMRect): boolean =>
    right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;

  const texts: { element: Element; text: string; rect: DOMRect }[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim() ?? '';
    if (!element || text === '' || element.closest('script, style, noscript, option, svg') || !isSeen(element))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (rect.width < 2 || rect.height < 2) continue;
    if (inWindow(rect)) texts.push({ element, text, rect });
    for (const { box, edge } of clips(element, true))
      if (rect.left < edge.left - SLACK_PX || rect.right > edge.right + SLACK_PX) {
        if (!isEllipsized(element, box, text))
          faults.add(`cut off in ${describeElement(box)}: ${describeElement(element)} “${shorten(text)}”`);
        break;
      }
    for (const { box, edge } of clips(element, false)) {
      const isPart = rect.top < edge.bottom - SLACK_PX && rect.bottom > edge.top + SLACK_PX;
      if (isPart && (rect.top < edge.top - 3 || rect.bottom > edge.bottom + 3)) {
        if (!isEllipsized(element, box, text))
          faults.add(`cut in height in ${describeElement(box)}: ${describeElement(element)} “${shorten(text)}”`);
        break;
      }
    }
    if ((rect.left < -SLACK_PX || rect.right > innerWidth + SLACK_PX) && clips(element, true).length === 0) {
      let scrolls = false;
      for (let box: Element | null = element; box && box !== document.body; box = box.parentElement)
        if (['auto', 'scroll'].includes(styleOf(box).overflowX)) scrolls = true;
      if (!scrolls) faults.add(`beyond the window: ${describeElement(element)} “${shorten(text)}”`);
    }
  }

  /** Returns whether the topmost element at the middle of the rectangle is the element or inside it. */
  const isOnTop = (element: Element, { left, right, top, bottom }: DOMRect): boolean | undefined => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x <= 0 || y <= 0 || x >= innerWidth || y >= innerHeight) return undefined;
    const topmost = document.elementFromPoint(x, y);
    return !!topmost && (element.contains(topmost) || topmost.contains(element));
  };

  for (const control of document.querySelectorAll<HTMLElement>(controls)) {
    if (!isSeen(control) || styleOf(control).pointerEvents === 'none') continue;
    const rect = control.getBoundingClientRect();
    if (rect.width < 2 || rect.height < 2) continue;
    const controlLabel = `${describeElement(control)} “${shorten(control.ariaLabel ?? control.textContent ?? '')}”`;
    for (const { box, edge } of clips(control.parentElement ?? control, true))
      if (rect.left < edge.left - SLACK_PX || rect.right > edge.right + SLACK_PX) {
        if (rect.left < edge.right && rect.right > edge.left && !isEllipsized(control, box, ''))
          faults.add(`control cut off in ${describeElement(box)}: ${controlLabel}`);
        break;
      }
    let isHidden = false; // true for a control that is scrolled away, or in a corner of a card
    for (let box = control.parentElement; box && !isHidden; box = box.parentElement) {
      if (styleOf(box).overflowX === 'visible' && styleOf(box).overflowY === 'visible') continue;
      const edge = box.getBoundingClientRect();
      const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
      isHidden = x <= edge.left + 4 || x >= edge.right - 4 || y <= edge.top + 4 || y >= edge.bottom - 4;
    }
    const modal = document.querySelector('[aria-modal=true]');
    if (isHidden || (modal && !modal.contains(control)) || control.getClientRects().length !== 1) continue;
    const label = control instanceof HTMLInputElement ? (control.labels?.[0] ?? control.parentElement) : null;
    if (isOnTop(control, rect) === false && !(label && isOnTop(label, rect))) {
      const covering = document.elementFromPoint((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
      if (covering && staysInPlace(covering)) continue;
      if (!covering?.contains(control.parentElement))
        faults.add(`covered by ${covering && describeElement(covering)}: ${controlLabel}`);
    }
  }

  /** Returns whether the element is sticky, such as the heading of a table, below which rows scroll. */
  function staysInPlace(element: Element): boolean {
    for (let box: Element | null = element; box; box = box.parentElement)
      if (styleOf(box).position === 'sticky') return true;
    return false;
  }

  const drawnTexts = texts.filter(({ element, rect }) => isOnTop(element, rect));
  drawnTexts.sort((a, b) => a.rect.top - b.rect.top);
  for (const [i, drawnText] of drawnTexts.entries())
    for (let j = i + 1; j < drawnTexts.length; j++) {
      const otherText = drawnTexts[j];
      if (!otherText || otherText.rect.top > drawnText.rect.bottom - 4) break;
      const overlapWidth =
        Math.min(drawnText.rect.right, otherText.rect.right) - Math.max(drawnText.rect.left, otherText.rect.left);
      const overlapHeight = Math.min(drawnText.rect.bottom, otherText.rect.bottom) - otherText.rect.top;
      if (
        overlapWidth < 4 ||
        overlapHeight < 4 ||
        drawnText.element.contains(otherText.element) ||
        otherText.element.contains(drawnText.element)
      )
        continue;
      if (
        isWithinClip(drawnText.element, drawnText.rect, otherText.rect) &&
        isWithinClip(otherText.element, otherText.rect, drawnText.rect)
      )
        faults.add(
          `drawn over each other: “${shorten(drawnText.text)}” and “${shorten(otherText.text)}” (${describeElement(drawnText.element)})`,
        );
    }

  /** Returns whether the text is visible at the other text's place, and not clipped there by an element around it. */
  function isWithinClip(element: Element, rect: DOMRect, place: DOMRect): boolean {
    let [left, right, top, bottom] = [rect.left, rect.right, rect.top, rect.bottom];
    for (let box: Element | null = element; box && box !== document.body; box = box.parentElement) {
      const edge = box.getBoundingClientRect();
      if (styleOf(box).overflowX !== 'visible')
        [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      if (styleOf(box).overflowY !== 'visible')
        [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return (
      Math.min(right, place.right) - Math.max(left, place.left) >= 4 &&
      Math.min(bottom, place.bottom) - Math.max(top, place.top) >= 4
    );
  }

  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.add(`the page is ${scrollWidth - clientWidth} px too wide`);
  return [...faults];
}
