// One way of using the window: mouse, keyboard or touch. Every click, tap, long press and key counts as one action;
// opening the search and typing into it is one action together, and so is opening a submenu and choosing in it.
import type { Locator, Page } from 'playwright-core';

export const INPUT_METHODS = ['mouse', 'keyboard', 'touch'] as const;
/** Longer than the time within which the menu ignores a second tap. */
const DOUBLE_TAP_MS = 500;
export type InputMethod = (typeof INPUT_METHODS)[number];

export interface Hand {
  inputMethod: InputMethod;
  page: Page;
  /** Returns the number of actions so far. */
  count: () => number;
  /** Clicks or taps. */
  press: (target: Locator) => Promise<void>;
  key: (key: string) => Promise<void>;
  /** Chooses an entry of a submenu of the open menu. */
  chooseIn: (submenu: string, entry: string) => Promise<void>;
  /** Searches, and waits for a result with this name. */
  search: (text: string) => Promise<Locator>;
  /** Opens the menu of the search result. */
  menu: (result: Locator) => Promise<void>;
}

/** Creates a hand. With `types` it types searches letter by letter, as people do. */
export function handOf(inputMethod: InputMethod, page: Page, { types = false } = {}): Hand {
  let actions = 0;
  const press = async (target: Locator): Promise<void> => {
    actions += 1;
    await (inputMethod === 'touch' ? target.tap() : target.click());
  };
  return {
    inputMethod,
    page,
    count: () => actions,
    press,
    async key(key) {
      actions += 1;
      await page.keyboard.press(key);
    },
    async chooseIn(submenu, entry) {
      const opener = page.getByRole('menuitem', { name: submenu, exact: true });
      await (inputMethod === 'touch' ? opener.tap() : opener.hover());
      // entries take the place of the opener, and a second tap at once would be a double tap on the opener
      if (inputMethod === 'touch') await page.waitForTimeout(DOUBLE_TAP_MS);
      await press(page.getByRole('menuitem', { name: entry }));
    },
    async search(text) {
      actions += 1;
      if (inputMethod === 'keyboard') await page.keyboard.press('/');
      else {
        const open = page.getByRole('button', { name: 'Search' }).first();
        await (inputMethod === 'touch' ? open.tap() : open.click());
      }
      const field = page.getByRole('combobox', { name: 'Search the library' });
      await (types ? field.pressSequentially(text) : field.fill(text));
      // recent searches are not results
      const options = page.locator('[role="option"]:not([id*="-recent-"])');
      const matchingOptions = options.filter({ has: page.getByText(text, { exact: true }) });
      await matchingOptions.first().waitFor();
      return matchingOptions.first();
    },
    async menu(result) {
      actions += 1;
      if (inputMethod === 'mouse') await result.click({ button: 'right' });
      else if (inputMethod === 'keyboard') await page.keyboard.press('Shift+F10');
      else
        await result.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true, clientX: 100, clientY: 200 });
      await page.getByRole('menu').waitFor();
      if (inputMethod !== 'touch') return;
      // browsers also fire a click at the end of a long press
      await page.evaluate(() => {
        dispatchEvent(new PointerEvent('pointerup'));
        document.body.click();
      });
    },
  };
}
