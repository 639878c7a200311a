// Shapes of the devices API.
import { z } from 'zod';
import type { TrackId } from '../db/ids.ts';
import { TrackIdIn } from '../db/ids.ts';
import { event } from '../events/event.ts';
import { playId } from '../history/wire.ts';
import { idList } from '../http/body.ts';
import { isoTime, isoTimeIn, toIso } from '../http/times.ts';
import { TrackOut } from '../library/wire.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import { MAX_POSITION_MS, positionMs } from '../playback/wire.ts';
import type { DeviceSummary, HandOver, HandOverTracks } from './registry.ts';

/** More tracks than this around the current one are not handed over. */
const MAX_HANDED_TRACKS = 2_000;
const MAX_CONTEXT_CHARS = 50_000;

export const deviceId = z
  .string()
  .regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, _ or -')
  .meta({ 'x-example': 'kitchen-tablet' });
export const DeviceParam = z.object({ device_id: deviceId });
const deviceName = z.string().trim().min(1).max(60);
const volume = z.number().min(0).max(1);

export const DeviceIn = z
  .strictObject({
    name: deviceName,
    track_id: TrackIdIn.nullable().meta({ description: 'null while the device has no track to play' }),
    position_ms: positionMs,
    playing: z.boolean(),
    volume,
    muted: z.boolean(),
  })
  .meta({ id: 'DeviceIn' });

const DeviceOut = z
  .object({
    id: z.string(),
    name: z.string(),
    track: TrackOut.nullable(),
    position_ms: z.int(),
    playing: z.boolean(),
    volume: z.number(),
    muted: z.boolean(),
  })
  .meta({ id: 'DeviceOut' });
export type DeviceOut = z.output<typeof DeviceOut>;
export const DeviceList = z.object({ items: z.array(DeviceOut) }).meta({ id: 'DeviceList' });

const handOverId = z
  .string()
  .regex(/^[\w-]{8,64}$/, 'must be 8 to 64 letters, digits, _ or -')
  .meta({ 'x-example': 'hand-over-1' });
const from = deviceId.meta({ description: 'the device that sends the command' });

export const DeviceCommandIn = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('play'), from }),
    z.strictObject({ kind: z.literal('pause'), from }),
    z.strictObject({ kind: z.literal('volume'), from, volume }),
    z.strictObject({ kind: z.literal('rename'), from, name: deviceName }),
    z.strictObject({ kind: z.literal('give'), from }).meta({ description: 'hand your queue over to `from`' }),
    z.strictObject({ kind: z.literal('taken'), from, hand_over: handOverId }).meta({ description: '`from` sounds' }),
    z
      .strictObject({
        kind: z.literal('not_taken'),
        from,
        hand_over: handOverId,
        reason: z
          .enum(['gesture', 'failed'])
          .meta({ description: 'gesture: its browser allows no sound until somebody taps' }),
      })
      .meta({ description: '`from` does not sound' }),
  ])
  .meta({ id: 'DeviceCommandIn' });
export type DeviceCommandIn = z.output<typeof DeviceCommandIn>;

export const HandOverIn = z
  .strictObject({
    id: handOverId.meta({ description: 'chosen by the device that hands over' }),
    from,
    track_ids: idList<TrackId>(MAX_HANDED_TRACKS, { least: 1, description: 'in the order in which they play' }),
    current_index: z
      .int()
      .min(0)
      .max(MAX_HANDED_TRACKS - 1),
    position_ms: positionMs,
    playing: z.boolean(),
    speed: z.number().min(0.25).max(4).default(1),
    shuffle: z.boolean(),
    repeat: z.enum(['off', 'all', 'one']),
    listening: z
      .strictObject({
        play_id: playId,
        started_at: isoTimeIn,
        heard_ms: z.int().min(0).max(MAX_POSITION_MS),
        reported_ms: z.int().min(0).max(MAX_POSITION_MS).nullable(),
      })
      .nullable(),
    context: z
      .string()
      .max(MAX_CONTEXT_CHARS)
      .meta({ description: 'what the windows note about the queue, passed on unchanged' }),
  })
  .meta({ id: 'HandOverIn' });
export type HandOverIn = z.output<typeof HandOverIn>;

export const HandOverOut = z
  .object({
    id: z.string(),
    from: z.string(),
    tracks: z.array(TrackOut),
    current_index: z.int(),
    position_ms: z.int().meta({ description: 'advanced by the time since the hand-over, if it plays' }),
    shuffle: z.boolean(),
    repeat: z.enum(['off', 'all', 'one']),
    listening: z
      .object({ play_id: z.string(), started_at: isoTime, heard_ms: z.int(), reported_ms: z.int().nullable() })
      .nullable(),
    context: z.string(),
  })
  .meta({ id: 'HandOverOut' });
export type HandOverOut = z.output<typeof HandOverOut>;

export const devicesEvent = event(
  'devices',
  z.object({}),
  'Your devices, or what they play, have changed. Only sent to their owner, and while there are several.',
);

export const deviceCommandEvent = event(
  'device_command',
  z.object({
    to: z.string(),
    from: z.string(),
    kind: z.enum(['play', 'pause', 'volume', 'rename', 'give', 'take', 'taken', 'not_taken']),
    volume: z.number().optional(),
    name: z.string().optional(),
    hand_over: z.string().optional(),
    reason: z.enum(['gesture', 'failed']).optional(),
  }),
  'A device sends a command to another one of its owner; every device executes those to itself. Never sent again.',
);
export type DeviceCommandEvent = z.output<typeof deviceCommandEvent.data>;

export const toDeviceOut = ({ track, id, name, positionMs: at, ...state }: DeviceSummary): DeviceOut => ({
  id,
  name,
  track: track && toTrackOut(track),
  position_ms: at,
  playing: state.isPlaying,
  volume: state.volume,
  muted: state.isMuted,
});

export const toHandOver = ({ track_ids, current_index, position_ms, playing, ...body }: HandOverIn): HandOver => ({
  ...body,
  trackIds: track_ids,
  currentIndex: current_index,
  positionMs: position_ms,
  isPlaying: playing,
  listening: body.listening && {
    playId: body.listening.play_id,
    startedAt: body.listening.started_at,
    heardMs: body.listening.heard_ms,
    reportedMs: body.listening.reported_ms,
  },
});

export const toHandOverOut = ({ handOver, tracks }: HandOverTracks): HandOverOut => ({
  id: handOver.id,
  from: handOver.from,
  tracks: tracks.map(toTrackOut),
  current_index: handOver.currentIndex,
  position_ms: handOver.positionMs,
  shuffle: handOver.shuffle,
  repeat: handOver.repeat,
  listening: handOver.listening && {
    play_id: handOver.listening.playId,
    started_at: toIso(handOver.listening.startedAt),
    heard_ms: handOver.listening.heardMs,
    reported_ms: handOver.listening.reportedMs,
  },
  context: handOver.context,
});
