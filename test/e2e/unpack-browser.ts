// Once before the browser tests, which run in parallel: two of them would unpack Chromium into the same file.
import { browserPath } from '../support/browser.ts';

export default async function unpackBrowser(): Promise<void> {
  await browserPath();
}
