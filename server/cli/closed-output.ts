// The program that reads the output may end first, as in `tonearm trash list | head -1`. That is not an error: a
// command finishes its work silently, and a server keeps running.

const isClosed = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';

export function tolerateClosedOutput(): void {
  process.stderr.on('error', () => undefined); // a message could only go to the closed output
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isClosed(error)) return;
    process.exitCode = 1;
    console.error(`tonearm: the output could not be written (${error.message}).`);
  });
}
