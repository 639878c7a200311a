// The server as a child process: started, watched, restarted with backoff when it dies, stopped on quit. It is the same
// program as for `npm start`, and prints the address it listens on. A socket carries the messages between the app and
// the server.
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

/**
 * `stop`: shut down. `ping`: still there? `ticket`: a one-time sign-in of a window; `setup_token`: for creating the
 * first account; both are answered under that id.
 */
export type ToServer = { kind: 'stop' } | { kind: 'ping' } | { kind: 'ticket' | 'setup_token'; id: number };
const FromServer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pong') }),
  z.object({ kind: z.literal('answer'), id: z.int(), value: z.string().min(4).max(256).nullable() }),
  z.object({ kind: z.literal('failed'), reason: z.string().min(1), port: z.int().optional() }),
]);

/** `reason` is a sentence for the user; `port` is one that another program uses. */
export interface StartFailure {
  reason: string;
  port?: number | undefined;
}

interface ServerProcessDeps {
  launch(args: readonly string[]): ServerChild;
  clock: Clock;
  /** Called when the server listens: for the first time, or again after a restart. */
  onReady(url: string): void;
  /** Called when the server died and will be restarted. */
  onDown?(): void;
  /** Called when the server stops answering, or answers again. */
  onHung?(isHung: boolean): void;
  /** Called when the server cannot be started. Nothing more happens until `start` is called. */
  onFailed(failure: StartFailure): void;
}

export type ServerProcess = ReturnType<typeof createServerProcess>;

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const MAX_RESTARTS = 8;
/** After listening this long, the next crash starts the backoff anew. */
const STABLE_RUN_MS = 60_000;
/** The server gives its own jobs 5 s to stop at a safe point, and closes the database after that. */
const STOP_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 1_000;
/** Unanswered pings, not seconds: the time that the computer slept does not count. */
const MAX_UNANSWERED_PINGS = 3;
/** A large database may be migrated at the start, during which the server answers nothing. */
const MAX_UNANSWERED_PINGS_AT_START = 120;

export function createServerProcess({ launch, clock, onReady, onDown, onHung, onFailed }: ServerProcessDeps) {
  let child: ServerChild | undefined;
  let wasReady = false;
  let readyAt: Date | undefined;
  let deaths = 0;
  let isHung = false;
  let stopping: Promise<void> | undefined;
  let onStopped: (() => void) | undefined;
  let restart: { promise: Promise<void>; resolve(): void } | undefined;
  let endedOnPurpose: (() => void) | undefined;
  let lastId = 0;
  const pendingAnswers = new Map<number, (value: string | undefined) => void>();

  function start(args: readonly string[] = []): void {
    if (child || stopping) return;
    const run = launch(args);
    let failure: StartFailure | undefined;
    let lastWords = '';
    child = run;
    readyAt = undefined;
    const heardPong = watchAnswers(run);
    eachLine(run.stdout, (line) => {
      const url = /^Tonearm is listening on (http:\S+)$/.exec(line)?.[1];
      if (url) onListening(url);
    });
    eachLine(run.stderr, (line) => {
      lastWords = /^tonearm: (.+)$/.exec(line)?.[1] ?? lastWords;
    });
    run.onMessage((message) => {
      const told = FromServer.safeParse(message).data;
      if (told?.kind === 'pong') heardPong();
      else if (told?.kind === 'answer') pendingAnswers.get(told.id)?.(told.value ?? undefined);
      else if (told?.kind === 'failed') failure = told;
    });
    run.onEnd((fault) =>
      onEnded(failure ?? { reason: fault?.message || lastWords || 'The server stopped without an error message.' }),
    );
  }

  /** Asks every second whether it still answers; the returned function takes an answer. */
  function watchAnswers(run: ServerChild): () => void {
    let unanswered = 0;
    const ask = (): void => {
      if (child !== run || stopping || endedOnPurpose) return;
      if (unanswered >= (readyAt ? MAX_UNANSWERED_PINGS : MAX_UNANSWERED_PINGS_AT_START)) setHung(true);
      unanswered += 1;
      run.send({ kind: 'ping' });
      clock.after(PING_INTERVAL_MS, ask);
    };
    clock.after(PING_INTERVAL_MS, ask);
    return () => {
      unanswered = 0;
      if (child === run) setHung(false);
    };
  }

  function setHung(isNow: boolean): void {
    if (isHung === isNow) return;
    isHung = isNow;
    onHung?.(isNow);
  }

  function onListening(url: string): void {
    if (stopping) return;
    wasReady = true;
    readyAt = clock.now();
    onReady(url);
    endRestart();
  }

  function onEnded(failure: StartFailure): void {
    child = undefined;
    setHung(false);
    for (const give of pendingAnswers.values()) give(undefined);
    if (stopping) return onStopped?.();
    if (endedOnPurpose) return endedOnPurpose();
    if (readyAt && clock.now().getTime() - readyAt.getTime() >= STABLE_RUN_MS) deaths = 0;
    deaths += 1;
    // A server that never listened will not with another try: a port in use, a wrong setting.
    if (!wasReady || deaths > MAX_RESTARTS) return fail(failure);
    onDown?.();
    clock.after(Math.min(MIN_PAUSE_MS * 2 ** (deaths - 1), MAX_PAUSE_MS), start);
  }

  function fail(failure: StartFailure): void {
    deaths = 0;
    onFailed(failure);
    endRestart();
  }

  function endRestart(): void {
    restart?.resolve();
    restart = undefined;
  }

  /** Returns undefined when the server cannot give one, or has none. */
  function ask(kind: 'ticket' | 'setup_token'): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (!child || stopping) return resolve(undefined);
      const id = (lastId += 1);
      const giveUp = clock.after(ANSWER_TIMEOUT_MS, () => give(undefined));
      const give = (value: string | undefined): void => {
        giveUp();
        pendingAnswers.delete(id);
        resolve(value);
      };
      pendingAnswers.set(id, give);
      child.send({ kind, id });
    });
  }

  return {
    start,

    /** There is one only until the first account is created. */
    setupToken: (): Promise<string | undefined> => ask('setup_token'),

    /** A one-time sign-in for one window, valid for seconds. */
    requestTicket: (): Promise<string | undefined> => ask('ticket'),

    /** Ends a server that does not answer; it is restarted like one that died. */
    endHung(): void {
      if (isHung) child?.kill();
    },

    /** Restarts it, for settings that need that. Resolves when it listens again, or cannot be started. */
    restart(): Promise<void> {
      if (stopping) return stopping;
      if (restart) return restart.promise;
      restart = Promise.withResolvers<void>();
      if (!child) return restart.promise; // it died, and is about to be restarted
      const cancelKill = clock.after(STOP_TIMEOUT_MS, () => child?.kill());
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
        endRestart();
        if (!child) return resolve();
        const cancelKill = clock.after(isHung ? 0 : STOP_TIMEOUT_MS, () => {
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

function eachLine(input: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  createInterface({ input, crlfDelay: Infinity }).on('line', onLine);
}
