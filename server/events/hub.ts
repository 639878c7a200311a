// Publishes events to listeners and keeps the latest events, so that a listener can catch up after a reconnect. Ids
// start at the boot time of the process, so they increase across restarts. A listener that has seen only ids of an
// earlier process may have missed anything, so it gets the summary.
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import type { UserId } from '../db/ids.ts';
import type { EventKind } from './event.ts';

/** Who receives an event; if undefined, everybody does. */
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
  /** Maximum number of kept events. */
  capacity?: number;
  /**
   * Maximum number of characters of `data` in the kept events. It is well below MAX_BUFFERED_BYTES, so that catching up
   * never disconnects a listener.
   */
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
  // a process would need a million events per second to reach the ids of the next process
  const bootId = now().getTime() * 1_000;
  const ring: RememberedEvent[] = [];
  const subscribers = new Set<Subscriber>();
  let ringChars = 0;
  let lastId = bootId;
  let summary: (() => Pick<SentEvent, 'name' | 'data'>) | undefined;
  let isClosed = false;

  function remember(event: RememberedEvent): void {
    ring.push(event);
    ringChars += event.data.length;
    while (ring.length > capacity || (ringChars > capacityChars && ring.length > 0))
      ringChars -= ring.shift()?.data.length ?? 0;
  }

  /** Returns the events after `lastSeen`; undefined when they are no longer kept. */
  function missedSince(lastSeen: number, listener: Listener): SentEvent[] | undefined {
    const oldest = ring[0]?.id ?? lastId + 1;
    // negated, so that NaN is treated like an unknown id
    if (!(lastSeen >= oldest - 1 && lastSeen <= lastId)) return undefined;
    return ring.filter((event) => event.id > lastSeen && isInAudience(listener, event.audience));
  }

  const caughtUp = (): SentEvent[] => (summary ? [{ id: lastId, ...summary() }] : []);

  return {
    /** Sends an event to its audience. A fleeting event is for those who listen now: nobody catches up on it. */
    publish<Data extends z.ZodType>(
      { name }: EventKind<string, Data>,
      data: z.output<Data>,
      { audience, isFleeting = false }: { audience?: Audience; isFleeting?: boolean } = {},
    ): void {
      if (isClosed) return;
      const event: RememberedEvent = {
        id: isFleeting ? lastId : ++lastId,
        name,
        data: JSON.stringify(data),
        audience,
      };
      if (!isFleeting) remember(event);
      for (const { listener, send } of subscribers) if (isInAudience(listener, audience)) send(event);
    },

    /** Sets the event that a listener gets when the events it missed are no longer kept. */
    summarizeWith<Data extends z.ZodType>({ name }: EventKind<string, Data>, state: () => z.output<Data>): void {
      summary = () => ({ name, data: JSON.stringify(state()) });
    },

    /**
     * Calls `send` for each event, beginning with the events since `lastEventId`, or with the summary when these are no
     * longer kept. `end` is called when the hub closes. Returns a function to unsubscribe.
     */
    subscribe(
      listener: Listener,
      lastEventId: string | undefined,
      send: (event: SentEvent) => void,
      end: () => void = () => {},
    ): () => void {
      if (isClosed) throw new AppError('unavailable', 'The server is stopping.');
      if (lastEventId !== undefined)
        for (const event of missedSince(parseId(lastEventId), listener) ?? caughtUp()) send(event);
      const subscriber: Subscriber = { listener, send, end };
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },

    hasListeners: (): boolean => subscribers.size > 0,

    /** Returns the id of the last event. A response that is sent from now on includes all changes up to this event. */
    lastId: (): number => lastId,

    /** Ends all subscriptions; later events are dropped. */
    close(): void {
      isClosed = true;
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
