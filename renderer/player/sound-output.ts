// The destination and shape of the sound: the chosen output device, an equalizer for each device, and the stream
// quality per kind of network. The choice is stored in this browser and applies to all of its windows.
import { asJson, isRecord, storedChoice } from '../stored-choice.ts';
import type { Equalizer } from './equalizer.ts';

interface SoundOutput {
  /** The browser's id of the device; empty for the system's default. */
  deviceId: string;
  /** Equalizers as stored; see `checked` in equalizer.ts, which is loaded when an equalizer is used. */
  equalizers: Readonly<Record<string, Partial<Equalizer> | null>>;
  /** Maximum bit rate in kbps; 0 for the original file. */
  kbps: { unmetered: number; metered: number };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const kbpsOf = (value: unknown): number => (isNumber(value) && value > 0 ? value : 0);

const choice = storedChoice<SoundOutput>({
  name: 'output',
  key: 'tonearm.output',
  initial: { deviceId: '', equalizers: {}, kbps: { unmetered: 0, metered: 0 } },
  ...asJson((value) => {
    if (!isRecord(value)) return undefined;
    const { deviceId, equalizers, kbps } = value as Partial<SoundOutput>;
    return {
      deviceId: typeof deviceId === 'string' ? deviceId : '',
      equalizers: isRecord(equalizers) ? equalizers : {},
      kbps: { unmetered: kbpsOf(kbps?.unmetered), metered: kbpsOf(kbps?.metered) },
    };
  }),
});

export const getSoundOutput = choice.get;
export const onSoundOutput = choice.onChange;
export const useSoundOutput = choice.use;
export const setSoundOutput = (change: Partial<SoundOutput>): void => choice.set({ ...choice.get(), ...change });

export const storedEqualizer = ({ equalizers, deviceId }: SoundOutput = choice.get()): Partial<Equalizer> | null =>
  equalizers[deviceId] ?? null;
export const setEqualizer = (equalizer: Equalizer): void =>
  setSoundOutput({ equalizers: { ...choice.get().equalizers, [choice.get().deviceId]: equalizer } });

/** Only some browsers provide these properties. */
type Connection = { type?: string; saveData?: boolean };

const connection = (): Connection | undefined => (navigator as Navigator & { connection?: Connection }).connection;
/** Returns whether the browser requests less data. */
export const isDataSaved = (): boolean => connection()?.saveData === true;

/** Returns the bit rate limit for streams on the current network; 0 for no limit. */
export const streamKbps = ({ kbps }: SoundOutput = choice.get()): number =>
  isDataSaved() || connection()?.type === 'cellular' ? kbps.metered : kbps.unmetered;
