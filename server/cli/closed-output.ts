// The program that reads the output may end first, as in `tonearm trash list | head -1`. That is no error: a command
// finishes its work silently, and a server keeps running.

const isClosed = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';

export function tolerateClosedOutput(): void {
  process.stderr.on('error', () => undefined); // no output is left for a message
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isClosed(error)) return;
    process.exitCode = 1;
    console.error(`tonearm: the output could not be written (${error.message}).`);
  });
}
