// Asks for passwords and passphrases: hidden on a terminal, otherwise the first line of a pipe.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AppError } from '../errors.ts';

/** Takes the echo of what is typed. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

type Ask = (prompt: string) => Promise<string>;

/** One that exists already, and is asked for once. */
export const askSecret = (name: string): Promise<string> => whileHidden((ask) => ask(`${name}: `));

/** One that is being set: on a terminal asked for twice, and again while it is refused or the two differ. */
export const askNewSecret = (name: string, whyRefused: (secret: string) => string | undefined): Promise<string> =>
  whileHidden(async (ask) => {
    for (;;) {
      const secret = await ask(`${name}: `);
      const refusal = whyRefused(secret);
      if (!process.stdin.isTTY && refusal !== undefined) throw new AppError('invalid', refusal);
      if (!process.stdin.isTTY) return secret;
      if (refusal === undefined && secret === (await ask(`${name} again: `))) return secret;
      process.stderr.write(`${refusal ?? 'The two are not the same.'} Please type it again.\n`);
    }
  });

/** Throws `conflict` on Ctrl+C and Ctrl+D, when the terminal echoes again. */
async function whileHidden(work: (ask: Ask) => Promise<string>): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  const input = createInterface({
    input: process.stdin,
    ...(isTerminal && { output: nowhere() }),
    terminal: isTerminal,
    historySize: 0,
  });
  const lines = input[Symbol.asyncIterator](); // keeps lines that are pasted at once
  input.once('SIGINT', () => input.close());
  try {
    return await work(async (prompt) => {
      if (isTerminal) process.stderr.write(prompt);
      const line = await lines.next();
      if (isTerminal) process.stderr.write('\n');
      if (!line.done) return line.value;
      if (isTerminal) throw new AppError('conflict', 'Cancelled. Nothing was changed.');
      throw new AppError('bad_request', 'Run this in a terminal, or pipe the password in.');
    });
  } finally {
    input.close();
  }
}
