// Publishes events to listeners and keeps the latest, so that a listener can catch up after a reconnect. Ids start at
// the boot time of the process, so they increase across restarts, and ids of an earlier process are recognized: such a
// listener may have missed anything and gets the summary.
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import type { UserId } from '../db/ids.ts';
import type { EventKind } from './event.ts';

/** Who receives an event; without it, everybody. */
type Audience = 'superuser' | { userId: UserId };
export interface Listener {
  id: UserId;
  isSuperuser: boolean;
}

/** `data` is JSON, serialized once for all listeners. */
export interface SentEvent {
  id: number;
  name: string;
  data: string;
}

interface EventHubDeps {
  now: () => Date;
  /** Events to keep. */
  capacity?: number;
  /** Characters of `data` to keep; well below MAX_BUFFERED_BYTES, so that catching up never disconnects a listener. */
  capacityChars?: number;
}

interface Subscriber {
  listener: Listener;
  send: (event: SentEvent) => void;
  end: () => void;
}

interface RememberedEvent extends SentEvent {
  audience: Audience | undefined;
}

export type EventHub = ReturnType<typeof createEventHub>;

export function createEventHub({ now, capacity = 1_000, capacityChars = 300_000 }: EventHubDeps) {
  // a process would need a million events a second to reach the ids of the next one
  const bootId = now().getTime() * 1_000;
  const ring: RememberedEvent[] = [];
  const subscribers = new Set<Subscriber>();
  let ringChars = 0;
  let lastId = bootId;
  let summary: (() => Pick<SentEvent, 'name' | 'data'>) | undefined;
  let closed = false;

  function remember(event: RememberedEvent): void {
    ring.push(event);
    ringChars += event.data.length;
    while (ring.length > capacity || (ringChars > capacityChars && ring.length > 0))
      ringChars -= ring.shift()?.data.length ?? 0;
  }

  /** The events after `lastSeen`; undefined when they are no longer kept. */
  function missedSince(lastSeen: number, listener: Listener): SentEvent[] | undefined {
    const oldest = ring[0]?.id ?? lastId + 1;
    if (!(lastSeen >= oldest - 1 && lastSeen <= lastId)) return undefined; // also for NaN
    return ring.filter((event) => event.id > lastSeen && isInAudience(listener, event.audience));
  }

  const caughtUp = (): SentEvent[] => (summary ? [{ id: lastId, ...summary() }] : []);

  return {
    publish<Data extends z.ZodType>(
      { name }: EventKind<string, Data>,
      data: z.output<Data>,
      { audience }: { audience?: Audience } = {},
    ): void {
      if (closed) return;
      const event: RememberedEvent = { id: ++lastId, name, data: JSON.stringify(data), audience };
      remember(event);
      for (const { listener, send } of subscribers) if (isInAudience(listener, audience)) send(event);
    },

    /** Sets the event for a listener that missed more than is kept. */
    summarizeWith<Data extends z.ZodType>({ name }: EventKind<string, Data>, state: () => z.output<Data>): void {
      summary = () => ({ name, data: JSON.stringify(state()) });
    },

    /**
     * Calls `send` for each event; first for those since `lastEventId`, or for the summary when they are no longer
     * kept. `end` is called when the hub closes. Returns the unsubscribe function.
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

    /** A response from now on includes everything up to this event. */
    lastId: (): number => lastId,

    /** Ends all subscriptions; later events are dropped. */
    close(): void {
      closed = true;
      for (const { end } of subscribers) end();
      subscribers.clear();
    },
  };
}

const parseId = (text: string): number => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN);

function isInAudience(listener: Listener, audience: Audience | undefined): boolean {
  if (audience === undefined) return true;
  return audience === 'superuser' ? listener.isSuperuser : listener.id === audience.userId;
}
