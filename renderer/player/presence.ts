// Systems show media controls, and keep a phone's music going, for a page with a media element that plays. The engine's
// sound comes from an audio clock, which they do not count; so a silent element plays along with it.
import { isSounding, type Player } from './types.ts';

export function showPresence(player: Player): () => void {
  const audio = document.createElement('audio');
  audio.src = '/silence.flac';
  audio.loop = true;
  const follow = () => {
    const sounding = isSounding(player.getState());
    if (sounding === !audio.paused) return;
    if (sounding) audio.play().catch(() => undefined); // without a gesture nothing sounds at all
    else audio.pause();
  };
  const unsubscribe = player.subscribe(follow);
  return () => {
    unsubscribe();
    audio.pause();
  };
}
