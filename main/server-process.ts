// The server as a child process: started, watched, restarted with backoff when it dies, stopped on quit. It is the same
// program as for `npm start`, and prints the address it listens on. An IPC channel carries what is only between the
// two.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Clock } from './clock.ts';

/** One run of the server, in whatever kind of process. */
export interface ServerChild {
  stdout: NodeJS.ReadableStream;
  stderr: NodeJS.ReadableStream;
  /** Called once when it has ended, with the error when it could not be started. */
  onEnd(listener: (fault?: Error) => void): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Messages sent before the server listens are queued. To an ended process they are dropped. */
  send(message: ToServer): void;
  kill(): void;
}

/** `stop`: shut down. `ticket`: asks for a one-time sign-in of a window, returned under that id. */
export type ToServer = { kind: 'stop' } | { kind: 'ticket'; id: number };
const FromServer = z.object({ kind: z.literal('ticket'), id: z.int(), ticket: z.string().min(20).max(256) });

interface ServerProcessDeps {
  launch(): ServerChild;
  clock: Clock;
  /** It listens: for the first time, or again after a restart. */
  onReady(url: string): void;
  /** It died and will be restarted. */
  onDown?(): void;
  /** It cannot be started; `reason` is a sentence for the user. Nothing more happens until `start` is called. */
  onFailed(reason: string): void;
}

export type ServerProcess = ReturnType<typeof createServerProcess>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const MAX_RESTARTS = 8;
/** After listening this long, the next crash starts the backoff anew. */
const STEADY_MS = 60_000;
/** The server gives its own jobs 5 s to stop at a safe point, and closes the database after that. */
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
    // A server that never listened will not with another try: a port in use, a wrong setting.
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

    /** Of the running server; there is one only until the first account is created. */
    setupToken: (): string | undefined => setupToken,

    /** A one-time sign-in for one window, valid for seconds. Undefined when the server cannot give one. */
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

    /** Restarts it, for settings that need that. Resolves when it listens again, or cannot be started. */
    restart(): Promise<void> {
      if (stopping) return stopping;
      if (restart) return restart.promise;
      restart = Promise.withResolvers<void>();
      if (!child) return restart.promise; // it died, and is about to be restarted
      const cancelKill = clock.after(GRACE_MS, () => child?.kill());
      endedOnPurpose = () => {
        endedOnPurpose = undefined;
        cancelKill();
        deaths = 0;
        wasReady = false; // it may start with another setting, which another try will not change
        start();
      };
      child.send({ kind: 'stop' });
      return restart.promise;
    },

    /** Stops it for good. Resolves when it has shut down, or was killed because that took too long. */
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
