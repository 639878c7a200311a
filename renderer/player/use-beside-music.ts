// Audio that is no track: it pauses the music, and is paused by it.
import { useEffect, useRef, type RefObject } from 'react';
import { isSounding } from './player.ts';
import { usePlayer, usePlayerCommands } from './use-player.ts';

/** Gives what to do when the audio begins to play. */
export function useBesideMusic(audio: RefObject<HTMLAudioElement | null>): () => void {
  const player = usePlayerCommands();
  const hasMusic = usePlayer(isSounding);
  const hadMusic = useRef(hasMusic);
  useEffect(() => {
    if (hasMusic && !hadMusic.current) audio.current?.pause();
    hadMusic.current = hasMusic;
  }, [hasMusic, audio]);
  return () => player.pause();
}
