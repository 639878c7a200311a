// Remembers which bytes of a conversion each listener was sent, so that bytes that were sent once are sent the same
// again. A listener who asks for others is moving to another place in the track, and not resuming a download.
import { setTimeout } from 'node:timers/promises';

interface SentParts {
  /** By the byte at which a stream began, the byte up to which it was sent; 0 is the whole conversion. */
  ends: Map<number, number>;
  /** The number of answers from the whole conversion that are being sent, and how many bytes they sent. */
  wholeAnswers: number;
  wholeBytes: number;
  /** The stream of the last place. */
  place?: { beginning: number; key: string | undefined; abort: AbortController };
}

const MAX_REMEMBERED = 1_000;
/** The most streams of one conversion that are remembered for a listener. */
const MAX_STREAMS = 50;
const READING_CHECK_MS = 250;

export type SentPlaces = ReturnType<typeof createSentPlaces>;

export function createSentPlaces(maxRemembered = MAX_REMEMBERED) {
  const partsByListening = new Map<string, SentParts>();

  /** Returns what the listener was sent; the longest unused is forgotten. */
  function partsOf(listening: string): SentParts {
    const parts = partsByListening.get(listening) ?? {
      ends: new Map<number, number>(),
      wholeAnswers: 0,
      wholeBytes: 0,
    };
    partsByListening.delete(listening);
    partsByListening.set(listening, parts);
    for (const oldest of partsByListening.keys()) {
      if (partsByListening.size <= maxRemembered) break;
      partsByListening.delete(oldest);
    }
    return parts;
  }

  return {
    /** Returns whether the listener was sent anything of the conversion. */
    isListening: (listening: string): boolean => partsByListening.has(listening),
    /**
     * Returns whether the listener goes on reading the whole conversion elsewhere, as a download in several parts does.
     * Players close the answer before, or leave it open and read no more of it.
     */
    async isReadingOn(listening: string, signal: AbortSignal): Promise<boolean> {
      const sentBefore = partsByListening.get(listening)?.wholeBytes ?? 0;
      await setTimeout(READING_CHECK_MS, undefined, { signal });
      const parts = partsByListening.get(listening);
      return parts !== undefined && parts.wholeAnswers > 0 && parts.wholeBytes > sentBefore;
    },

    /** Returns where the last stream began that was sent up to this byte or beyond; undefined without one. */
    beginningOf(listening: string, byte: number): number | undefined {
      const ends = [...(partsByListening.get(listening)?.ends ?? [])];
      return ends.findLast(([beginning, end]) => beginning <= byte && byte <= end)?.[0];
    },

    /** Notes that an answer from the whole begins; returns a function that has to be called at its end. */
    startWholeAnswer(listening: string): () => void {
      const parts = partsOf(listening);
      parts.wholeAnswers++;
      return () => void parts.wholeAnswers--;
    },

    /** Notes that the bytes `[start, end)` of a stream were sent. */
    noteSent(listening: string, beginning: number, start: number, end: number): void {
      const parts = partsOf(listening);
      if (beginning === 0) parts.wholeBytes += end - start;
      parts.ends.set(beginning, Math.max(parts.ends.get(beginning) ?? 0, end));
      const oldestPlace = [...parts.ends.keys()].find((place) => place > 0);
      if (parts.ends.size > MAX_STREAMS && oldestPlace !== undefined) parts.ends.delete(oldestPlace);
    },

    /**
     * Notes that the listener moves to a place, where a stream with this key begins, and ends the one before it.
     * Returns the signal of the end of the new one, and the key of the other.
     */
    moveTo(listening: string, beginning: number, key: string | undefined): Place {
      const parts = partsOf(listening);
      if (parts.place?.beginning === beginning) return { signal: parts.place.abort.signal, leftKey: undefined };
      parts.place?.abort.abort(new Error('the listener has moved to another place'));
      const leftKey = parts.place?.key;
      const abort = new AbortController();
      parts.place = { beginning, key, abort };
      return { signal: abort.signal, leftKey };
    },
  };
}

interface Place {
  signal: AbortSignal;
  leftKey: string | undefined;
}
