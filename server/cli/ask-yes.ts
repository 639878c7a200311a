// Asks a question on the terminal that is answered with yes or no.
import { createInterface } from 'node:readline/promises';

/** Returns whether the answer is yes; anything else is a no. The input has to be a terminal. */
export async function askYes(question: string): Promise<boolean> {
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await input.question(question)).trim());
  } finally {
    input.close();
  }
}
