// The server as a child of the shell: started, watched, started again with growing pauses when it dies, asked to end on
// quit. It is the same program as `npm start`, and says on stdout where it listens. What is for the two alone goes over
// a channel between them.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Clock } from './clock.ts';

/** One run of the server, whatever kind of process it is. */
export interface ServerChild {
  stdout: NodeJS.ReadableStream;
  stderr: NodeJS.ReadableStream;
  /** Called once when it has ended, with the fault when it could not even be started. */
  onEnd(listener: (fault?: Error) => void): void;
  onMessage(listener: (message: unknown) => void): void;
  /** What comes before the server listens waits for it. To one that has ended it goes nowhere. */
  send(message: ToServer): void;
  kill(): void;
}

/** `stop`: put the work away and end. `ticket`: something that signs one window in, to be sent back under that id. */
export type ToServer = { kind: 'stop' } | { kind: 'ticket'; id: number };
const FromServer = z.object({ kind: z.literal('ticket'), id: z.int(), ticket: z.string().min(20).max(256) });

interface ServerProcessDeps {
  launch(): ServerChild;
  clock: Clock;
  /** It listens: for the first time, or again after it died. */
  onReady(url: string): void;
  /** It died and will be started again. */
  onDown?(): void;
  /**
   * It cannot be brought up; `reason` is a sentence for the person in front of it. Nothing goes on until `start` is
   * called.
   */
  onFailed(reason: string): void;
}

export type ServerProcess = ReturnType<typeof createServerProcess>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const MAX_RESTARTS = 8;
/** Having listened that long, the next death is a new story. */
const STEADY_MS = 60_000;
/** The server gives its own work 5 s to stop at a safe place, and closes the database after that. */
const GRACE_MS = 10_000;
const TICKET_PATIENCE_MS = 5_000;

export function createServerProcess({ launch, clock, onReady, onDown, onFailed }: ServerProcessDeps) {
  let child: ServerChild | undefined;
  let setupToken: string | undefined;
  let wasReady = false;
  let readyAt: Date | undefined;
  let deaths = 0;
  let stopping: Promise<void> | undefined;
  let onStopped: (() => void) | undefined;
  let restart: { promise: Promise<void>; resolve(): void } | undefined;
  let endedOnPurpose: (() => void) | undefined;
  let lastTicket = 0;
  const wanted = new Map<number, (ticket: string | undefined) => void>();

  function start(): void {
    if (child || stopping) return;
    const started = launch();
    let lastWords = '';
    child = started;
    readyAt = undefined;
    eachLine(started.stdout, (line) => {
      setupToken = /^Setup token: (\S+)$/.exec(line)?.[1] ?? setupToken;
      const url = /^Tonearm is listening on (http:\S+)$/.exec(line)?.[1];
      if (url) ready(url);
    });
    eachLine(started.stderr, (line) => {
      lastWords = /^tonearm: (.+)$/.exec(line)?.[1] ?? lastWords;
    });
    started.onMessage((message) => {
      const told = FromServer.safeParse(message);
      if (told.success) wanted.get(told.data.id)?.(told.data.ticket);
    });
    started.onEnd((fault) => ended(fault?.message || lastWords || 'The server ended without saying why.'));
  }

  function ready(url: string): void {
    if (stopping) return;
    wasReady = true;
    readyAt = clock.now();
    onReady(url);
    restarted();
  }

  function ended(reason: string): void {
    child = undefined;
    setupToken = undefined;
    for (const give of wanted.values()) give(undefined);
    if (stopping) return onStopped?.();
    if (endedOnPurpose) return endedOnPurpose();
    if (readyAt && clock.now().getTime() - readyAt.getTime() >= STEADY_MS) deaths = 0;
    deaths += 1;
    // One that never listened has met something that another try will not change: a port in use, a wrong setting.
    if (!wasReady || deaths > MAX_RESTARTS) return fail(reason);
    onDown?.();
    clock.after(Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 1), LONGEST_PAUSE_MS), start);
  }

  function fail(reason: string): void {
    deaths = 0;
    onFailed(reason);
    restarted();
  }

  function restarted(): void {
    restart?.resolve();
    restart = undefined;
  }

  return {
    start,

    /** Of the server that runs now; there is one only while it waits for its first account. */
    setupToken: (): string | undefined => setupToken,

    /** Signs one window in, once and within seconds. Undefined when the server is not there to give one. */
    requestTicket(): Promise<string | undefined> {
      return new Promise((resolve) => {
        if (!child || stopping) return resolve(undefined);
        const id = (lastTicket += 1);
        const giveUp = clock.after(TICKET_PATIENCE_MS, () => give(undefined));
        const give = (ticket: string | undefined): void => {
          giveUp();
          wanted.delete(id);
          resolve(ticket);
        };
        wanted.set(id, give);
        child.send({ kind: 'ticket', id });
      });
    },

    /**
     * Ends it and starts it anew, for what only a start does. Resolves when it listens again, or cannot be brought up.
     */
    restart(): Promise<void> {
      if (stopping) return stopping;
      if (restart) return restart.promise;
      restart = Promise.withResolvers<void>();
      if (!child) return restart.promise; // it died, and is about to be started
      const cancelKill = clock.after(GRACE_MS, () => child?.kill());
      endedOnPurpose = () => {
        endedOnPurpose = undefined;
        cancelKill();
        deaths = 0;
        wasReady = false; // what it is started with may be another setting, which another try will not change
        start();
      };
      child.send({ kind: 'stop' });
      return restart.promise;
    },

    /** Ends it for good. Resolves when it has put its work away, or when it was killed because it took too long. */
    stop(): Promise<void> {
      stopping ??= new Promise((resolve) => {
        restarted();
        if (!child) return resolve();
        const cancelKill = clock.after(GRACE_MS, () => {
          child?.kill();
          resolve();
        });
        onStopped = () => {
          cancelKill();
          resolve();
        };
        child.send({ kind: 'stop' });
      });
      return stopping;
    },
  };
}

function eachLine(input: NodeJS.ReadableStream, take: (line: string) => void): void {
  createInterface({ input, crlfDelay: Infinity }).on('line', take);
}
