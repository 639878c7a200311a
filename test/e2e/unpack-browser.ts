// Once before the browser tests, which run side by side: two of them would unpack the same Chromium into one another's
// file.
import { browserPath } from '../support/browser.ts';

export default async function unpackBrowser(): Promise<void> {
  await browserPath();
}
