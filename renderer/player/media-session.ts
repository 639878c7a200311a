// Connects media keys, lock screen and the system's media controls to the player.
import { trackCover } from '../api/urls.ts';
import { getBeside, onBeside } from './station-or-episode.ts';
import { currentEntry, isSounding, type Player, type QueueTrack } from './player.ts';

const SEEK_STEP_MS = 10_000;

type CoverOf = (track: QueueTrack, size: 160 | 300 | 600) => string | null;

/** Connects the window that plays; the returned function disconnects it. */
export function connectMediaSession(player: Player, coverOf: CoverOf = trackCover): () => void {
  if (!('mediaSession' in navigator)) return () => {};
  const session = navigator.mediaSession;
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => player.play(),
    pause: () => player.pause(),
    stop: () => player.pause(),
    nexttrack: () => player.next(),
    previoustrack: () => player.previous(),
    seekto: ({ seekTime }) => player.seek((seekTime ?? 0) * 1000),
    seekforward: ({ seekOffset }) =>
      player.seek(player.getState().positionMs + (seekOffset ? seekOffset * 1000 : SEEK_STEP_MS)),
    seekbackward: ({ seekOffset }) =>
      player.seek(player.getState().positionMs - (seekOffset ? seekOffset * 1000 : SEEK_STEP_MS)),
  };
  let shownKey: number | null = null;
  const show = () => {
    if (getBeside()) return;
    const state = player.getState();
    const entry = currentEntry(state);
    if ((entry?.key ?? null) !== shownKey) {
      shownKey = entry?.key ?? null;
      session.metadata = entry ? metadataOf(entry.track, coverOf) : null;
    }
    session.playbackState = entry ? (isSounding(state) ? 'playing' : 'paused') : 'none';
    if (entry && state.durationMs > 0) {
      session.setPositionState({
        duration: state.durationMs / 1000,
        position: Math.min(state.positionMs, state.durationMs) / 1000,
        playbackRate: state.speed,
      });
    }
  };
  const takeControls = () => {
    if (getBeside()) return;
    for (const [action, handler] of Object.entries(handlers))
      session.setActionHandler(action as MediaSessionAction, handler);
    shownKey = null;
    show();
  };
  takeControls();
  const stops = [player.subscribe(show), onBeside(takeControls)];
  return () => {
    for (const stop of stops) stop();
    for (const action of Object.keys(handlers)) session.setActionHandler(action as MediaSessionAction, null);
    session.metadata = null;
    session.playbackState = 'none';
  };
}

function metadataOf(track: QueueTrack, coverOf: CoverOf): MediaMetadata {
  const artwork = ([160, 300, 600] as const).flatMap((size) => {
    const src = coverOf(track, size);
    return src ? [{ src: new URL(src, location.href).href, sizes: `${size}x${size}` }] : [];
  });
  return new MediaMetadata({
    title: track.title,
    artist: track.artist_name ?? '',
    album: track.album_title ?? '',
    artwork,
  });
}

/**
 * Systems show media controls, and keep a phone's music going, only for a page whose media element plays. Web Audio
 * does not count, so a silent element plays along.
 */
export function playSilentElement(player: Player): () => void {
  const audio = document.createElement('audio');
  audio.src = '/silence.flac';
  audio.loop = true;
  const follow = () => {
    const sounding = isSounding(player.getState());
    if (sounding === !audio.paused) return;
    if (sounding) audio.play().catch(() => undefined); // without a user gesture nothing plays at all
    else audio.pause();
  };
  const unsubscribe = player.subscribe(follow);
  return () => {
    unsubscribe();
    audio.pause();
  };
}
