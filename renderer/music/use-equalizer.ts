import { toValidSettings, type Equalizer } from '../player/equalizer.ts';
import { setEqualizer, storedEqualizer, useSoundOutput } from '../player/sound-output.ts';

/** Returns the equalizer of the chosen output device, and the function that changes it. */
export function useEqualizer() {
  const equalizer = toValidSettings(storedEqualizer(useSoundOutput()));
  return { equalizer, change: (changes: Partial<Equalizer>) => setEqualizer({ ...equalizer, ...changes }) };
}
