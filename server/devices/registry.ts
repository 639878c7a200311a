// The devices of each account: open windows that can play, what they play, and queues on their way from one to another.
// A device exists while its event stream is open, so the limit of open streams also limits the devices; everything is
// in memory only. Devices are windows of the account's owner, yet what they report is checked like any other request.
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { repairQueue } from '../playback/queue-repair.ts';

export interface DeviceReport {
  name: string;
  trackId: TrackId | null;
  positionMs: number;
  isPlaying: boolean;
  /** 0 to 1. */
  volume: number;
  isMuted: boolean;
}
export type DeviceSummary = Omit<DeviceReport, 'trackId'> & { id: string; track: TrackSummary | null };

/** A queue on its way to another device. */
export interface HandOver {
  id: string;
  from: string;
  trackIds: TrackId[];
  currentIndex: number;
  positionMs: number;
  isPlaying: boolean;
  speed: number;
  shuffle: boolean;
  repeat: 'off' | 'all' | 'one';
  listening: { playId: string; startedAt: Date; heardMs: number; reportedMs: number | null } | null;
  context: string;
}
export interface HandOverTracks {
  handOver: HandOver;
  tracks: TrackSummary[];
}

interface Device {
  /** Number of open event streams: two for a moment when a window reconnects. */
  streams: number;
  report: DeviceReport | null;
  reportedAt: number;
  handOver: { handOver: HandOver; receivedAt: number } | null;
}

interface Account {
  devices: Map<string, Device>;
  /** The number of messages since `countedFrom`. */
  messages: number;
  countedFrom: number;
}

interface RegistryDeps {
  now: () => Date;
  library: Pick<LibraryService, 'tracksById' | 'findExistingTracks'>;
  /** Tells the devices of an account that one of them has changed. */
  announce: (userId: UserId) => void;
}

/** A playing device reports every 15 s; a device that is silent for longer has lost its connection. */
const PLAYING_TIMEOUT_MS = 45_000;
const COUNTED_MS = 10_000;
/** A volume slider that is dragged without a pause sends 4 messages per second. */
const MAX_MESSAGES = 200;

export type DeviceRegistry = ReturnType<typeof createDeviceRegistry>;

export function createDeviceRegistry({ now, library, announce }: RegistryDeps) {
  const accounts = new Map<UserId, Account>();

  const isConnected = ({ report, reportedAt }: Device): boolean =>
    report !== null && !(report.isPlaying && now().getTime() - reportedAt > PLAYING_TIMEOUT_MS);

  /** Returns a device of the user. Throws `not_found`, also for the devices of others. */
  function deviceOf(userId: UserId, id: string): Device {
    const device = accounts.get(userId)?.devices.get(id);
    if (!device) throw notFound('device', id);
    return device;
  }

  /** Throws `too_many_requests` if the account's devices send more messages than people cause. */
  function countMessage(userId: UserId): void {
    const account = accounts.get(userId);
    if (!account) return;
    const time = now().getTime();
    if (time - account.countedFrom > COUNTED_MS) Object.assign(account, { messages: 0, countedFrom: time });
    account.messages += 1;
    if (account.messages > MAX_MESSAGES)
      throw new AppError('too_many_requests', 'Your devices send too many messages.', { retryAfter: 10 });
  }

  function announceToOthers(userId: UserId): void {
    if ((accounts.get(userId)?.devices.size ?? 0) > 1) announce(userId);
  }

  return {
    /** Notes an open event stream of a device; the returned function notes its end. */
    connect(userId: UserId, id: string): () => void {
      const account = accounts.get(userId) ?? { devices: new Map(), messages: 0, countedFrom: 0 };
      accounts.set(userId, account);
      const device = account.devices.get(id) ?? { streams: 0, report: null, reportedAt: 0, handOver: null };
      device.streams += 1;
      account.devices.set(id, device);
      return () => {
        device.streams -= 1;
        if (device.streams > 0) return;
        account.devices.delete(id);
        if (account.devices.size === 0) accounts.delete(userId);
        else announce(userId);
      };
    },

    /** Stores the state of a device. Throws `not_found` while the device has no event stream. */
    report(userId: UserId, id: string, report: DeviceReport): void {
      const device = deviceOf(userId, id);
      countMessage(userId);
      device.report = report;
      device.reportedAt = now().getTime();
      announceToOthers(userId);
    },

    /** Returns the user's devices in the order in which they connected. */
    list(userId: UserId): DeviceSummary[] {
      const devices = [...(accounts.get(userId)?.devices ?? [])].filter(([, device]) => isConnected(device));
      const trackIds = devices.flatMap(([, { report }]) => report?.trackId ?? []);
      const tracks = new Map(library.tracksById(userId, trackIds).map((track) => [track.id, track]));
      return devices.flatMap(([id, { report }]) => {
        if (!report) return [];
        const { trackId, ...state } = report;
        return [{ id, ...state, track: trackId === null ? null : (tracks.get(trackId) ?? null) }];
      });
    },

    /** Throws `not_found` unless both are connected devices of the user, and `too_many_requests`. */
    assertReachable(userId: UserId, to: string, from: string): void {
      deviceOf(userId, from);
      if (!isConnected(deviceOf(userId, to))) throw notFound('device', to);
      countMessage(userId);
    },

    /** Keeps a queue for a device until another one arrives. Tracks that are not in the library are left out. */
    async handOver(userId: UserId, to: string, handOver: HandOver): Promise<void> {
      const existingIds = await library.findExistingTracks(handOver.trackIds);
      const repairedQueue = repairQueue(handOver.trackIds, (id) => existingIds.has(id), handOver);
      deviceOf(userId, to).handOver = {
        handOver: { ...handOver, ...repairedQueue },
        receivedAt: now().getTime(),
      };
    },

    /** Returns the queue that waits for a device. Throws `not_found` without one. */
    waitingHandOver(userId: UserId, id: string): HandOverTracks {
      const { handOver: waiting } = deviceOf(userId, id);
      if (!waiting) throw notFound('hand-over');
      const { handOver, receivedAt } = waiting;
      const advancedMs = handOver.isPlaying ? (now().getTime() - receivedAt) * handOver.speed : 0;
      return {
        handOver: { ...handOver, positionMs: Math.round(handOver.positionMs + advancedMs) },
        tracks: library.tracksById(userId, handOver.trackIds),
      };
    },
  };
}
