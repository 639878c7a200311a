// A server process that is controlled by a test, and a clock that the test moves.
import { PassThrough } from 'node:stream';
import type { Clock } from '../../../main/clock.ts';
import type { ServerChild, ToServer } from '../../../main/server-process.ts';

/** Waits until written lines have been read. */
export const turn = async (): Promise<void> => {
  for (let times = 0; times < 3; times += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface ScriptedRun {
  /** Requests over the socket, and `kill`. */
  asked: string[];
  /** On the command line. */
  args: readonly string[];
  /** It answers no pings. */
  isHung: boolean;
  /** Responds over that channel. */
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
      const last = runs.at(-1);
      if (!last) throw new Error('The server has not been started.');
      return last;
    },
    /** Answered for the first account; null when there is one. */
    setupToken: null as string | null,
    launch(args: readonly string[]): ServerChild {
      const [stdout, stderr, asked] = [new PassThrough(), new PassThrough(), [] as string[]];
      let onMessage: (message: unknown) => void = () => undefined;
      let onEnd: (fault?: Error) => void = () => undefined;
      const write = (stream: PassThrough) => async (text: string) => {
        stream.write(text);
        await turn();
      };
      const run: ScriptedRun = {
        asked,
        args,
        isHung: false,
        async tells(message) {
          onMessage(message);
          await turn();
        },
        says: write(stdout),
        complains: write(stderr),
        async ends(fault) {
          onEnd(fault);
          await turn();
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

export function stillClock() {
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
    /** Runs timers that become due. */
    async advance(ms: number): Promise<void> {
      nowMs += ms;
      for (const [run, dueMs] of timers) {
        if (dueMs > nowMs) continue;
        timers.delete(run);
        run();
      }
      await turn();
    },
  };
}
