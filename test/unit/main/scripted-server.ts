// A server process that a test controls, and a clock that the test moves.
import { PassThrough } from 'node:stream';
import type { Clock } from '../../../main/clock.ts';
import type { ServerChild, ToServer } from '../../../main/server-process.ts';

/** Waits until the written lines have been read. */
export const waitForTurn = async (): Promise<void> => {
  for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface ScriptedRun {
  /** Names of the requests that arrived over the socket, and `kill`. */
  asked: string[];
  /** The arguments of the command line. */
  args: readonly string[];
  /** True while the process answers no pings. */
  isHung: boolean;
  /** Sends a response over the socket. */
  tells(message: unknown): Promise<void>;
  says(text: string): Promise<void>;
  complains(text: string): Promise<void>;
  ends(fault?: Error): Promise<void>;
}

export function scriptServer() {
  const runs: ScriptedRun[] = [];
  const script = {
    runs,
    get run(): ScriptedRun {
      const lastRun = runs.at(-1);
      if (!lastRun) throw new Error('The server has not been started.');
      return lastRun;
    },
    /** The setup token that the server sends; null when there is an account. */
    setupToken: null as string | null,
    launch(args: readonly string[]): ServerChild {
      const [stdout, stderr, asked] = [new PassThrough(), new PassThrough(), [] as string[]];
      let onMessage: (message: unknown) => void = () => undefined;
      let onEnd: (fault?: Error) => void = () => undefined;
      const write = (stream: PassThrough) => async (text: string) => {
        stream.write(text);
        await waitForTurn();
      };
      const run: ScriptedRun = {
        asked,
        args,
        isHung: false,
        async tells(message) {
          onMessage(message);
          await waitForTurn();
        },
        says: write(stdout),
        complains: write(stderr),
        async ends(fault) {
          onEnd(fault);
          await waitForTurn();
        },
      };
      runs.push(run);
      return {
        stdout,
        stderr,
        send: (message: ToServer) => {
          if (message.kind === 'ping') {
            if (!run.isHung) onMessage({ kind: 'pong' });
          } else if (message.kind === 'setup_token') {
            onMessage({ kind: 'answer', id: message.id, value: script.setupToken });
          } else asked.push(message.kind);
        },
        kill: () => void asked.push('kill'),
        onMessage: (listener) => {
          onMessage = listener;
        },
        onEnd: (listener) => {
          onEnd = listener;
        },
      };
    },
  };
  return script;
}

export function createManualClock() {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => new Date(nowMs),
    after(ms, run) {
      timers.set(run, nowMs + ms);
      return () => void timers.delete(run);
    },
  };
  return {
    clock,
    /** Moves the clock, and runs the timers that become due. */
    async advance(ms: number): Promise<void> {
      nowMs += ms;
      for (const [run, dueMs] of timers) {
        if (dueMs > nowMs) continue;
        timers.delete(run);
        run();
      }
      await waitForTurn();
    },
  };
}
