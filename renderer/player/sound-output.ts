// Where the sound goes and how it is shaped for it: the chosen output device, an equalizer for each, and the quality of
// streams per kind of network. Kept in this browser, and followed by all of its windows.
import { useSyncExternalStore } from 'react';
import type { Equalizer } from './equalizer.ts';

const KEY = 'tonearm.output';

interface SoundOutput {
  /** Of the browser; empty for the system's default. */
  deviceId: string;
  /** As stored; see `checked` in equalizer.ts, which is loaded when one is used. */
  equalizers: Readonly<Record<string, Partial<Equalizer> | null>>;
  /** kbps at most; 0 for the original. */
  kbps: { unmetered: number; metered: number };
}

const NONE: SoundOutput = { deviceId: '', equalizers: {}, kbps: { unmetered: 0, metered: 0 } };
const listeners = new Set<() => void>();
let current: SoundOutput = read();

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function read(): SoundOutput {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<SoundOutput> | null;
    if (!stored) return NONE;
    const kbps = (value: unknown): number => (isNumber(value) && value > 0 ? value : 0);
    return {
      deviceId: typeof stored.deviceId === 'string' ? stored.deviceId : '',
      equalizers: { ...stored.equalizers },
      kbps: { unmetered: kbps(stored.kbps?.unmetered), metered: kbps(stored.kbps?.metered) },
    };
  } catch {
    return NONE; // damaged, or storage is not allowed
  }
}

function changed(): void {
  for (const listener of listeners) listener();
}

addEventListener('storage', (event) => {
  if (event.key !== KEY) return;
  current = read();
  changed();
});

export const getSoundOutput = (): SoundOutput => current;
export const storedEqualizer = ({ equalizers, deviceId }: SoundOutput = current): Partial<Equalizer> | null =>
  equalizers[deviceId] ?? null;

export function setSoundOutput(change: Partial<SoundOutput>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // storage is full or not allowed: it holds until this page is closed
  }
  changed();
}

export const setEqualizer = (equalizer: Equalizer): void =>
  setSoundOutput({ equalizers: { ...current.equalizers, [current.deviceId]: equalizer } });

export function onSoundOutput(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useSoundOutput = (): SoundOutput => useSyncExternalStore(onSoundOutput, getSoundOutput);

/** Only some browsers tell. */
type Connection = { type?: string; saveData?: boolean };

/** The limit for streams on the network that the device is in now; 0 for none. */
export function streamKbps({ kbps }: SoundOutput = current): number {
  const { connection } = navigator as Navigator & { connection?: Connection };
  const isMetered = connection?.saveData === true || connection?.type === 'cellular';
  return isMetered ? kbps.metered : kbps.unmetered;
}
