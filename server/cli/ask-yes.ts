// Asks a yes-or-no question on the terminal.
import { createInterface } from 'node:readline/promises';

/** Returns whether the answer is yes; anything else counts as no. The input must be a terminal. */
export async function askYes(question: string): Promise<boolean> {
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await input.question(question)).trim());
  } finally {
    input.close();
  }
}
