// Publishes events to listeners, and keeps the latest ones so that a listener that lost its connection can catch up.
// Ids are integers that start at the process's boot time, so they grow across restarts, and an id from an earlier
// process is recognised: that listener may have missed anything and is told to reload.
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import type { UserId } from '../db/ids.ts';
import type { EventKind } from './event.ts';

/** Who may see an event; everybody when absent. */
export type Audience = 'superuser' | { userId: UserId };
export interface Listener {
  id: UserId;
  isSuperuser: boolean;
}

/** An event as sent: `data` is JSON, serialised once for all listeners. */
export interface SentEvent {
  id: number;
  name: string;
  data: string;
}

export interface EventHubDeps {
  now: () => Date;
  /** Events to remember. */
  capacity?: number;
  /** Characters to remember; well below what a slow listener may owe, so that catching up never cuts one off. */
  capacityChars?: number;
}

interface Subscriber {
  listener: Listener;
  send: (event: SentEvent) => void;
  end: () => void;
}

interface Remembered extends SentEvent {
  audience: Audience | undefined;
}

export type EventHub = ReturnType<typeof createEventHub>;

export function createEventHub({ now, capacity = 1_000, capacityChars = 300_000 }: EventHubDeps) {
  // only at a million events a second would a process reach the ids of the next
  const bootId = now().getTime() * 1_000;
  const ring: Remembered[] = [];
  const subscribers = new Set<Subscriber>();
  let ringChars = 0;
  let lastId = bootId;
  let summary: (() => Pick<SentEvent, 'name' | 'data'>) | undefined;
  let closed = false;

  function remember(event: Remembered): void {
    ring.push(event);
    ringChars += event.data.length;
    while (ring.length > capacity || (ringChars > capacityChars && ring.length > 0))
      ringChars -= ring.shift()?.data.length ?? 0;
  }

  /** What a listener missed after `lastSeen`; undefined when that is no longer kept. */
  function missedSince(lastSeen: number, listener: Listener): SentEvent[] | undefined {
    const oldest = ring[0]?.id ?? lastId + 1;
    if (!(lastSeen >= oldest - 1 && lastSeen <= lastId)) return undefined; // also when it is no number
    return ring.filter((event) => event.id > lastSeen && mayHear(listener, event.audience));
  }

  const caughtUp = (): SentEvent[] => (summary ? [{ id: lastId, ...summary() }] : []);

  return {
    publish<Data extends z.ZodType>(
      { name }: EventKind<string, Data>,
      data: z.output<Data>,
      { audience }: { audience?: Audience } = {},
    ): void {
      if (closed) return;
      const event: Remembered = { id: ++lastId, name, data: JSON.stringify(data), audience };
      remember(event);
      for (const { listener, send } of subscribers) if (mayHear(listener, audience)) send(event);
    },

    /** Sets the event sent to a listener that missed more than is kept. */
    summarizeWith<Data extends z.ZodType>({ name }: EventKind<string, Data>, state: () => z.output<Data>): void {
      summary = () => ({ name, data: JSON.stringify(state()) });
    },

    /**
     * Calls `send` for each event from now on, first for those missed since `lastEventId`, or for the summary when
     * these are no longer kept. `end` is called once when the hub closes. Returns the unsubscribe function.
     */
    subscribe(
      listener: Listener,
      lastEventId: string | undefined,
      send: (event: SentEvent) => void,
      end: () => void = () => {},
    ): () => void {
      if (closed) throw new AppError('unavailable', 'The server is stopping.');
      if (lastEventId !== undefined)
        for (const event of missedSince(parseId(lastEventId), listener) ?? caughtUp()) send(event);
      const subscriber: Subscriber = { listener, send, end };
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },

    /** Ends every subscription; later events go nowhere. */
    close(): void {
      closed = true;
      for (const { end } of subscribers) end();
      subscribers.clear();
    },
  };
}

const parseId = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);

function mayHear(listener: Listener, audience: Audience | undefined): boolean {
  if (audience === undefined) return true;
  return audience === 'superuser' ? listener.isSuperuser : listener.id === audience.userId;
}
