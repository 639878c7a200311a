// Asks for passwords and passphrases: without echo on a terminal, otherwise from the first line of a pipe.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { AppError } from '../errors.ts';

/** Returns a stream that drops the echo of typed characters. */
const createSilentOutput = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

type Ask = (prompt: string) => Promise<string>;

/** Asks once for an existing secret. */
export const askSecret = (name: string): Promise<string> => withHiddenInput((ask) => ask(`${name}: `));

/**
 * Asks for a new secret. On a terminal it asks twice, and again while the secret is refused or the two entries differ.
 */
export const askNewSecret = (name: string, findFault: (secret: string) => string | undefined): Promise<string> =>
  withHiddenInput(async (ask) => {
    for (;;) {
      const secret = await ask(`${name}: `);
      const refusal = findFault(secret);
      if (!process.stdin.isTTY && refusal !== undefined) throw new AppError('invalid', refusal);
      if (!process.stdin.isTTY) return secret;
      if (refusal === undefined && secret === (await ask(`${name} again: `))) return secret;
      process.stderr.write(`${refusal ?? 'The two are not the same.'} Please type it again.\n`);
    }
  });

/**
 * Runs `work` with a function that asks without echo. Throws `conflict` on Ctrl+C and Ctrl+D. Afterwards the terminal
 * echoes again.
 */
async function withHiddenInput(work: (ask: Ask) => Promise<string>): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  const input = createInterface({
    input: process.stdin,
    ...(isTerminal && { output: createSilentOutput() }),
    terminal: isTerminal,
    historySize: 0,
  });
  // the iterator keeps all lines of a paste; single questions would lose the later ones
  const lines = input[Symbol.asyncIterator]();
  input.once('SIGINT', () => input.close());
  try {
    return await work(async (prompt) => {
      if (isTerminal) process.stderr.write(prompt);
      const line = await lines.next();
      if (isTerminal) process.stderr.write('\n');
      if (!line.done) return line.value;
      if (isTerminal) throw new AppError('conflict', 'Canceled. Nothing was changed.');
      throw new AppError('bad_request', 'Run this in a terminal, or pipe the password in.');
    });
  } finally {
    input.close();
  }
}
