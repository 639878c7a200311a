// The server as a child process: started, monitored, restarted with backoff when it dies, stopped on quit. The server
// is the same program as for `npm start`, and prints the address that it listens on. A socket carries messages between
// the app and the server.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Clock } from './clock.ts';

/** One run of the server, in a Node or utility process. */
export interface ServerChild {
  stdout: NodeJS.ReadableStream;
  stderr: NodeJS.ReadableStream;
  /** Calls the listener once when the process has ended, with the error if the process could not be started. */
  onEnd(listener: (fault?: Error) => void): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Sends a message. Messages are queued until the server listens, and dropped once the process has ended. */
  send(message: ToServer): void;
  kill(): void;
}

/**
 * Messages to the server. `stop` shuts it down, `ping` asks for a `pong`. `ticket` requests a one-time sign-in of a
 * window, `setup_token` the token for creating the first account; the answer to either has the same id.
 */
export type ToServer = { kind: 'stop' } | { kind: 'ping' } | { kind: 'ticket' | 'setup_token'; id: number };
const FromServer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pong') }),
  z.object({ kind: z.literal('answer'), id: z.int(), value: z.string().min(4).max(256).nullable() }),
  z.object({ kind: z.literal('failed'), reason: z.string().min(1), port: z.int().optional() }),
]);

/** `reason` is a sentence for the user; `port` is a port that another program uses. */
export interface StartFailure {
  reason: string;
  port?: number | undefined;
}

interface ServerProcessDeps {
  launch(args: readonly string[]): ServerChild;
  clock: Clock;
  /** Called when the server listens: for the first time, or after a restart. */
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
/** A crash after this time of listening starts the backoff from the beginning. */
const STABLE_RUN_MS = 60_000;
/** The server gives its own jobs 5 s to stop at a safe point, and then closes the database. */
const STOP_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 1_000;
/** Pings are counted instead of seconds, because the time that the computer slept does not count. */
const MAX_UNANSWERED_PINGS = 3;
/** During its start the server may migrate a large database, and answers no pings. */
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
      const parsedMessage = FromServer.safeParse(message).data;
      if (parsedMessage?.kind === 'pong') heardPong();
      else if (parsedMessage?.kind === 'answer')
        pendingAnswers.get(parsedMessage.id)?.(parsedMessage.value ?? undefined);
      else if (parsedMessage?.kind === 'failed') failure = parsedMessage;
    });
    run.onEnd((fault) =>
      onEnded(failure ?? { reason: fault?.message || lastWords || 'The server stopped without an error message.' }),
    );
  }

  /** Pings the server every second; returns the function to call for each answer. */
  function watchAnswers(run: ServerChild): () => void {
    let unanswered = 0;
    const ping = (): void => {
      if (child !== run || stopping || endedOnPurpose) return;
      if (unanswered >= (readyAt ? MAX_UNANSWERED_PINGS : MAX_UNANSWERED_PINGS_AT_START)) setHung(true);
      unanswered += 1;
      run.send({ kind: 'ping' });
      clock.after(PING_INTERVAL_MS, ping);
    };
    clock.after(PING_INTERVAL_MS, ping);
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
    for (const resolveAnswer of pendingAnswers.values()) resolveAnswer(undefined);
    if (stopping) return onStopped?.();
    if (endedOnPurpose) return endedOnPurpose();
    if (readyAt && clock.now().getTime() - readyAt.getTime() >= STABLE_RUN_MS) deaths = 0;
    deaths += 1;
    // A server that never listened will fail again, because a port is in use or a setting is wrong.
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

  /** Requests a value from the server; resolves to undefined if the server does not have or send one. */
  function requestValue(kind: 'ticket' | 'setup_token'): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (!child || stopping) return resolve(undefined);
      const id = (lastId += 1);
      const giveUp = clock.after(ANSWER_TIMEOUT_MS, () => resolveAnswer(undefined));
      const resolveAnswer = (value: string | undefined): void => {
        giveUp();
        pendingAnswers.delete(id);
        resolve(value);
      };
      pendingAnswers.set(id, resolveAnswer);
      child.send({ kind, id });
    });
  }

  return {
    start,

    /** Resolves to the token for creating the first account; undefined once an account exists. */
    setupToken: (): Promise<string | undefined> => requestValue('setup_token'),

    /** Resolves to a one-time ticket that signs one window in, valid for seconds. */
    requestTicket: (): Promise<string | undefined> => requestValue('ticket'),

    /** Kills a server that does not respond; the process is then restarted like after a crash. */
    endHung(): void {
      if (isHung) child?.kill();
    },

    /**
     * Restarts the server, for settings that need a restart. Resolves when the server listens again, or cannot be
     * started.
     */
    restart(): Promise<void> {
      if (stopping) return stopping;
      if (restart) return restart.promise;
      restart = Promise.withResolvers<void>();
      if (!child) return restart.promise; // the server died, and is about to be restarted
      const cancelKill = clock.after(STOP_TIMEOUT_MS, () => child?.kill());
      endedOnPurpose = () => {
        endedOnPurpose = undefined;
        cancelKill();
        deaths = 0;
        wasReady = false; // a changed setting may prevent the start, which retries cannot repair
        start();
      };
      child.send({ kind: 'stop' });
      return restart.promise;
    },

    /** Stops the server for good. Resolves when it has shut down, or was killed because that took too long. */
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
