// Whether phones may play in this browser's library window, the jukebox; every window can switch it.
import { asWord, storedChoice } from '../stored-choice.ts';

const choice = storedChoice<'on' | 'off'>({
  name: 'speaker',
  key: 'tonearm.speaker',
  initial: 'off',
  ...asWord(['on', 'off']),
});

export const chooseSpeaker = (isOn: boolean): void => choice.set(isOn ? 'on' : undefined);
export const useSpeakerChoice = (): boolean => choice.use() === 'on';
