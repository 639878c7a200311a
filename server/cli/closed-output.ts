// Whoever reads what is printed may end first, as in `tonearm trash list | head -1`. That is no fault: a command does
// its work to the end, without saying more, and a server goes on.

const isClosed = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE' || code === 'EIO';

export function tolerateClosedOutput(): void {
  process.stderr.on('error', () => undefined); // nowhere is left to say it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isClosed(error)) return;
    process.exitCode = 1;
    console.error(`tonearm: what was printed could not be written (${error.message}).`);
  });
}
