// Lines that a place of the log did not take: a full disk, a pipe that nobody reads. No work ends because of them; they
// are counted, and said in the log when its place takes lines again.

export type LogLosses = ReturnType<typeof createLogLosses>;

interface LogLossesDeps {
  /** The first line was lost; other places of the log may take this. */
  onBegin: (error: unknown) => void;
  /** So many lines were lost until now. */
  onEnd: (lines: number) => void;
}

export function createLogLosses({ onBegin, onEnd }: LogLossesDeps) {
  let lines = 0;
  return {
    /** What became of a line; `error` when it is lost. */
    note(error?: unknown): void {
      const linesBefore = lines;
      lines = error ? lines + 1 : 0;
      if (error && linesBefore === 0) onBegin(error);
      if (!error && linesBefore > 0) onEnd(linesBefore);
    },
    isLosing: (): boolean => lines > 0,
  };
}
