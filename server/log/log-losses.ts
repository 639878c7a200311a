// Counts lines that a destination of the log did not take: a full disk, or a pipe that nobody reads. The server
// continues without these lines, and logs their number when the destination takes lines again.

export type LogLosses = ReturnType<typeof createLogLosses>;

interface LogLossesDeps {
  /** Called when the first line is lost; other destinations may take a log line about it. */
  onBegin: (error: unknown) => void;
  /** Called with the number of lost lines when a line was written again. */
  onEnd: (lines: number) => void;
}

export function createLogLosses({ onBegin, onEnd }: LogLossesDeps) {
  let lines = 0;
  return {
    /** Records the outcome of a write; `error` is set when the line is lost. */
    record(error?: unknown): void {
      const linesBefore = lines;
      lines = error ? lines + 1 : 0;
      if (error && linesBefore === 0) onBegin(error);
      if (!error && linesBefore > 0) onEnd(linesBefore);
    },
    isLosing: (): boolean => lines > 0,
  };
}
