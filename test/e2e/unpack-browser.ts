// Unpacks Chromium once before the browser tests, because tests in parallel would unpack it into the same file.
import { browserPath } from '../support/browser.ts';

export default async function unpackBrowser(): Promise<void> {
  await browserPath();
}
