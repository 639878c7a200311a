// Connects this window's player to the desktop app: tray and media keys show and control it.
import type { DesktopBridge, DesktopMessage } from '../desktop.ts';
import { currentEntry, type Player } from './player.ts';

const LONGEST = 1_000;

/** Reports again after a sign-in: the app may have been waiting for the first account. */
export function connectDesktopControls(
  player: Player,
  { reportPlayer, onMessage }: DesktopBridge,
  onSessionChange: (listener: () => void) => () => void,
): () => void {
  let told = '';
  const report = () => {
    const state = player.getState();
    const track = currentEntry(state)?.track;
    const next = {
      status: state.status,
      title: track?.title.slice(0, LONGEST) ?? null,
      artist: track?.artist_name?.slice(0, LONGEST) ?? null,
      isSleeping: state.sleep !== null,
    };
    const text = JSON.stringify(next);
    if (text === told) return;
    told = text;
    reportPlayer(next).catch(() => undefined);
  };
  const stopListening = onMessage((message: DesktopMessage) => {
    if (message.kind === 'player') player[message.command]();
    else if (message.kind === 'sleep') player.setSleep(message.minutes);
  });
  const unsubscribe = player.subscribe(report);
  const stopWaiting = onSessionChange(() => {
    told = '';
    report();
  });
  report();
  return () => {
    unsubscribe();
    stopWaiting();
    stopListening();
  };
}
