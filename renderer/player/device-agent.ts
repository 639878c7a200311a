// This window as a device of its account: reports what it plays, executes the commands of other devices, and hands its
// queue over. A device that hands over plays on until the other one sounds, and no device starts by itself.
import type { QueryClient } from '@tanstack/react-query';
import { onDevices, OWN_DEVICE, type DeviceCommand } from '../api/device-news.ts';
import {
  commandDevice,
  deviceName,
  devicesQuery,
  fetchHandOver,
  handOverTo,
  onDeviceName,
  renameDevice,
  reportDevice,
  type Device,
} from '../api/devices.ts';
import { ApiError } from '../api/problem.ts';
import { randomId } from '../api/random-id.ts';
import { createRefresher } from '../api/refresher.ts';
import { getDeviceNotes, setDeviceNotes, type DeviceAgent } from './device-notes.ts';
import { fromHandOver, toHandOver } from './handed-queue.ts';
import { currentEntry, isSounding } from './player.ts';
import type { SharedPlayer } from './shared-player.ts';

const REPORT_AFTER_MS = 150;
/** The server drops a playing device that is silent for 45 s. */
const REPORT_EVERY_MS = 15_000;
const REFRESH_EVERY_MS = 250;
/** A device that loses its connection for a moment is back after 2 s. */
const GONE_AFTER_MS = 4_000;
const VOLUME_EVERY_MS = 200;
const GIVE_PATIENCE_MS = 5_000;
/** The other device fetches the queue and the audio meanwhile. */
const TAKE_PATIENCE_MS = 15_000;
const TOLD_AGAIN_AFTER_MS = 1_000;
const MAX_TOLD = 3;

export function startDevice(player: SharedPlayer, queries: QueryClient): () => void {
  /** The server accepts reports while the event stream is open. */
  let isConnected = false;
  let reportTimer: ReturnType<typeof setTimeout> | undefined;
  let goneTimer: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let volumeTimer: ReturnType<typeof setTimeout> | undefined;
  let nextVolume: { id: string; volume: number } | undefined;
  /** The id of the last queue that this window has handed over. */
  let givenId: string | null = null;
  /** The device that plays on this window's behalf. */
  let followed: Device | null = null;

  const listDevices = (): Device[] => queries.getQueryData(devicesQuery.queryKey) ?? [];
  const deviceOf = (id: string): Device | undefined => listDevices().find((device) => device.id === id);
  const nameOf = (id: string): string => deviceOf(id)?.name ?? followed?.name ?? '';

  function report(): void {
    clearTimeout(reportTimer);
    reportTimer = undefined;
    const state = player.getState();
    const entry = player.hasEngine ? currentEntry(state) : null;
    reportDevice({
      name: deviceName(),
      track_id: entry?.track.id ?? null,
      position_ms: entry ? Math.max(0, Math.round(state.positionMs)) : 0,
      playing: entry !== null && isSounding(state),
      volume: state.volume,
      muted: state.muted,
    }).catch(() => undefined); // the next report makes up for it
  }
  const reportSoon = (): void => {
    if (isConnected) reportTimer ??= setTimeout(report, REPORT_AFTER_MS);
  };

  let reportedState = '';
  const noteState = (): void => {
    const state = player.getState();
    const parts = [player.hasEngine, isSounding(state), currentEntry(state)?.track.id, state.volume, state.muted];
    const text = parts.join(' ');
    if (text === reportedState) return;
    reportedState = text;
    reportSoon();
    // a person has started music here
    if (player.hasEngine && isSounding(state) && getDeviceNotes().note?.kind === 'gone') setDeviceNotes({ note: null });
  };

  const refresher = createRefresher(REFRESH_EVERY_MS, async () => {
    await queries.fetchQuery({ ...devicesQuery, staleTime: 0 });
    follow();
  });

  /** Notices that the device with the music has disappeared. */
  function follow(): void {
    const { note } = getDeviceNotes();
    if (note?.kind === 'waits' && deviceOf(note.id)?.playing === true) setDeviceNotes({ note: null });
    if (note?.kind === 'tap' && !deviceOf(note.id)) setDeviceNotes({ note: null });
    if (!followed) return;
    const device = deviceOf(followed.id);
    if (device) {
      clearTimeout(goneTimer);
      goneTimer = undefined;
      followed = device;
    } else if (followed.playing) {
      const { name, id } = followed;
      goneTimer ??= setTimeout(() => {
        goneTimer = undefined;
        if (followed?.id !== id || deviceOf(id)) return;
        followed = null;
        setDeviceNotes({ note: { kind: 'gone', name } });
      }, GONE_AFTER_MS);
    } else followed = null;
  }

  function begin(id: string, patienceMs: number): void {
    clearTimeout(patience);
    patience = setTimeout(() => fail(id), patienceMs);
    setDeviceNotes({ pending: id, note: null });
  }

  function end(): void {
    clearTimeout(patience);
    setDeviceNotes({ pending: null });
  }

  function fail(id: string): void {
    end();
    setDeviceNotes({ note: { kind: 'gone', name: nameOf(id) } });
    refresher.soon();
  }

  function giveTo(id: string): void {
    const queue = toHandOver(player.getState());
    if (!queue) return;
    givenId = randomId();
    begin(id, TAKE_PATIENCE_MS);
    handOverTo(id, { ...queue, id: givenId }).catch(() => fail(id));
  }

  async function take(from: string, handOverId: string): Promise<void> {
    const handOver = await fetchHandOver();
    if (handOver.id !== handOverId) return; // a later hand-over has replaced it
    begin(from, TAKE_PATIENCE_MS);
    const queue = fromHandOver(handOver);
    const result = queue ? await player.takeOver(...queue) : 'failed';
    end();
    if (result === 'sounds') {
      followed = null;
      return tellTaken(from, handOverId);
    }
    const name = nameOf(from);
    setDeviceNotes({ note: result === 'gesture' ? { kind: 'tap', id: from, name } : { kind: 'failed', name } });
    await commandDevice(from, { kind: 'not_taken', hand_over: handOverId, reason: result });
  }

  /** Tells the device that handed over to fall silent, again if the connection breaks. */
  async function tellTaken(to: string, handOverId: string, attempt = 1): Promise<void> {
    try {
      await commandDevice(to, { kind: 'taken', hand_over: handOverId });
    } catch (error) {
      if ((error instanceof ApiError && error.status === 404) || attempt === MAX_TOLD) return;
      await new Promise((resolve) => {
        setTimeout(resolve, TOLD_AGAIN_AFTER_MS);
      });
      await tellTaken(to, handOverId, attempt + 1);
    }
  }

  function execute({ kind, from, volume, name, hand_over, reason }: DeviceCommand): void {
    if (kind === 'volume' && volume !== undefined) player.setVolume(volume);
    else if (kind === 'rename' && name !== undefined) renameDevice(name);
    else if (kind === 'take' && hand_over !== undefined) take(from, hand_over).catch(() => fail(from));
    else if (kind === 'give') giveTo(from);
    else if (kind === 'taken' || kind === 'not_taken') {
      if (hand_over !== givenId) return;
      end();
      if (kind === 'taken') {
        if (player.hasEngine) player.pause();
        followed = deviceOf(from) ?? null;
        if (followed) followed = { ...followed, playing: true };
      } else
        setDeviceNotes({
          note:
            reason === 'gesture'
              ? { kind: 'waits', id: from, name: nameOf(from) }
              : { kind: 'failed', name: nameOf(from) },
        });
    } else if (player.hasEngine && kind === 'play') player.play();
    else if (player.hasEngine && kind === 'pause') player.pause();
  }

  const command = (
    id: string,
    ...rest: Parameters<typeof commandDevice> extends [string, ...infer Rest] ? Rest : never
  ) => void commandDevice(id, ...rest).catch(() => fail(id));
  const agent: DeviceAgent = {
    playHere(id) {
      begin(id, GIVE_PATIENCE_MS);
      command(id, { kind: 'give' });
    },
    playOn(id) {
      const state = player.getState();
      const trackId = currentEntry(state)?.track.id;
      // another window of this browser plays; that window hands over
      const leader =
        !player.hasEngine && isSounding(state)
          ? listDevices().find((device) => device.playing && device.track?.id === trackId && device.id !== OWN_DEVICE)
          : undefined;
      if (leader) command(leader.id, { kind: 'give' }, id);
      else giveTo(id);
    },
    play(id) {
      followed = deviceOf(id) ?? null;
      command(id, { kind: 'play' });
    },
    pause: (id) => command(id, { kind: 'pause' }),
    setVolume(id, volume) {
      // the slider stays where it is until the device reports its new volume
      queries.setQueryData(devicesQuery.queryKey, (devices: Device[] | undefined) =>
        devices?.map((device) => (device.id === id ? { ...device, volume, muted: false } : device)),
      );
      if (volumeTimer !== undefined) return void (nextVolume = { id, volume });
      command(id, { kind: 'volume', volume });
      const sendNext = () => {
        const next = nextVolume;
        volumeTimer = nextVolume = undefined;
        if (next) agent.setVolume(next.id, next.volume);
      };
      volumeTimer = setTimeout(sendNext, VOLUME_EVERY_MS);
    },
    rename: (id, name) => (id === OWN_DEVICE ? renameDevice(name) : command(id, { kind: 'rename', name })),
  };

  const timer = setInterval(() => {
    if (isConnected && player.hasEngine && isSounding(player.getState())) report();
    if (followed) refresher.soon();
  }, REPORT_EVERY_MS);
  const stops = [
    player.subscribe(noteState),
    onDeviceName(reportSoon),
    onDevices((news) => {
      if (news.kind === 'command') {
        if (news.command.to === OWN_DEVICE) execute(news.command);
        return;
      }
      if (news.kind === 'lost') {
        isConnected = false;
        clearTimeout(reportTimer);
        reportTimer = undefined;
        return;
      }
      if (news.kind === 'open') {
        isConnected = true;
        report();
      }
      refresher.soon();
    }),
    () => refresher.cancel(),
    () => [reportTimer, goneTimer, patience, volumeTimer].forEach(clearTimeout),
    () => clearInterval(timer),
  ];
  setDeviceNotes({ agent });
  return () => {
    setDeviceNotes({ agent: null, note: null, pending: null });
    stops.forEach((stop) => stop());
  };
}
