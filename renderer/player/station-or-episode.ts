// A station or an episode: audio that is not a track and is not part of a queue. The audio plays on every page, stops
// the music, and is closed when music begins.
import { useSyncExternalStore } from 'react';
import { asJson, storedChoice } from '../stored-choice.ts';
import { volumeFactor } from './gain.ts';
import { isSounding, SPEED_MAX, SPEED_MIN, type Player } from './player.ts';

interface Beside {
  readonly kind: 'station' | 'episode';
  readonly id: number;
  readonly title: string;
  /** The name of an episode's podcast. */
  readonly by?: string;
  readonly src: string;
  readonly startMs?: number;
  /** Called every few seconds and on stop with the position; at the end with 0. */
  readonly onPosition?: (positionMs: number) => void;
}

export interface BesideState {
  readonly item: Beside;
  readonly status: 'loading' | 'playing' | 'paused' | 'failed';
  readonly positionMs: number;
  /** 0 for a station. */
  readonly durationMs: number;
}

const SAVED_EVERY_MS = 10_000;
const episodeSpeed = storedChoice<number>({
  name: 'episodeSpeed',
  key: 'tonearm.episode-speed',
  initial: 1,
  ...asJson((speed) => (typeof speed === 'number' && speed >= SPEED_MIN && speed <= SPEED_MAX ? speed : undefined)),
});

let state: BesideState | null = null;
let audio: HTMLAudioElement | null = null;
let stops: (() => void)[] = [];
const listeners = new Set<() => void>();

export const getBeside = (): BesideState | null => state;

/** Calls back after every change; returns the function that unsubscribes. */
export function onBeside(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rerenders when the value that `select` returns changes. */
export const useBeside = <T>(select: (state: BesideState | null) => T): T =>
  useSyncExternalStore(onBeside, () => select(state));

function update(next: BesideState | null): void {
  state = next;
  for (const listener of listeners) listener();
}
const change = (changes: Partial<BesideState>): void => update(state && { ...state, ...changes });

export function playBeside(player: Player, item: Beside): void {
  closeBeside();
  player.pause();
  const element = new Audio();
  element.src = item.src;
  audio = element;
  update({ item, status: 'loading', positionMs: item.startMs ?? 0, durationMs: 0 });
  setBesideSpeed(besideSpeed());
  const listen = (type: keyof HTMLMediaElementEventMap, handler: () => unknown) =>
    element.addEventListener(type, handler);
  const save = () => element.readyState > 0 && item.onPosition?.(element.ended ? 0 : positionMs(element));
  listen('loadedmetadata', () => {
    // an episode resumes where it stopped, also after a failure
    if (item.kind === 'episode') element.currentTime = (state?.positionMs ?? 0) / 1_000;
    change({ durationMs: Number.isFinite(element.duration) ? element.duration * 1_000 : 0 });
  });
  listen('playing', () => change({ status: 'playing' }));
  listen('waiting', () => change({ status: 'loading' }));
  listen('timeupdate', () => element.readyState > 0 && change({ positionMs: positionMs(element) }));
  listen('pause', () => {
    if (state?.status !== 'failed') change({ status: 'paused' });
    save();
  });
  listen('error', () => change({ status: 'failed' }));
  const timer = setInterval(() => !element.paused && save(), SAVED_EVERY_MS);
  let hadMusic = isSounding(player.getState());
  const follow = () => {
    const { volume, muted } = player.getState();
    element.volume = volumeFactor(volume, muted);
    const hasMusic = isSounding(player.getState());
    if (hasMusic && !hadMusic) return closeBeside();
    hadMusic = hasMusic;
  };
  stops = [() => clearInterval(timer), player.subscribe(follow), takeMediaSession(item), save];
  follow();
  start(element);
}

const positionMs = ({ currentTime }: HTMLAudioElement): number => Math.round(currentTime * 1_000);

/** Starts the element. A rejected `play()` means an `error` event, or that the browser requires a click first. */
const start = (element: HTMLAudioElement): void =>
  void element.play().catch(() => state?.status === 'loading' && change({ status: 'paused' }));

export function toggleBeside(): void {
  if (!audio || !state) return;
  if (state.status === 'playing' || state.status === 'loading') {
    audio.pause();
    if (state.item.kind === 'episode') return;
    endRequest(audio); // the request ends without a pause event
    return change({ status: 'paused' });
  }
  // a station continues with its live audio, and a failed episode is loaded again
  if (state.item.kind === 'station' || state.status === 'failed') audio.src = state.item.src;
  change({ status: 'loading' });
  start(audio);
}

export function seekBeside(toMs: number): void {
  if (!audio || !state || state.durationMs === 0) return;
  audio.currentTime = Math.min(state.durationMs, Math.max(0, toMs)) / 1_000;
}

export const besideSpeed = (): number => (state?.item.kind === 'episode' ? episodeSpeed.get() : 1);

export function setBesideSpeed(speed: number): void {
  if (!audio || !state) return;
  if (state.item.kind === 'episode') episodeSpeed.set(speed);
  audio.defaultPlaybackRate = speed;
  audio.playbackRate = speed;
  change({});
}

export function closeBeside(): void {
  if (!audio) return;
  for (const stop of stops) stop();
  const element = audio;
  audio = null;
  update(null);
  element.pause();
  endRequest(element);
}

function endRequest(element: HTMLAudioElement): void {
  element.removeAttribute('src');
  element.load();
}

/** Connects media keys and the system's controls; the returned function gives them back to the player. */
function takeMediaSession({ kind, title, by }: Beside): () => void {
  if (!('mediaSession' in navigator)) return () => {};
  const session = navigator.mediaSession;
  session.metadata = new MediaMetadata({ title, artist: by ?? '' });
  const by10 = (sign: number) => () => seekBeside((state?.positionMs ?? 0) + sign * 10_000);
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler | null>> = {
    play: toggleBeside,
    pause: toggleBeside,
    stop: closeBeside,
    nexttrack: null,
    previoustrack: null,
    seekto: kind === 'episode' ? ({ seekTime }) => seekBeside((seekTime ?? 0) * 1_000) : null,
    seekforward: kind === 'episode' ? by10(1) : null,
    seekbackward: kind === 'episode' ? by10(-1) : null,
  };
  const setHandler = (action: string, handler: MediaSessionActionHandler | null) =>
    session.setActionHandler(action as MediaSessionAction, handler);
  for (const [action, handler] of Object.entries(handlers)) setHandler(action, handler);
  const unsubscribe = onBeside(() => {
    session.playbackState = state?.status === 'playing' ? 'playing' : 'paused';
  });
  return () => {
    unsubscribe();
    for (const action of Object.keys(handlers)) setHandler(action, null);
    session.metadata = null;
    session.playbackState = 'none';
  };
}
