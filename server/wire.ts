// The event stream: events of all modules. The renderer's types and the documentation of events are derived from this
// table.
import type { z } from 'zod';
import { deviceCommandEvent, devicesEvent } from './devices/wire.ts';
import { downloadEvent } from './downloads/wire.ts';
import { historyEvent, nowPlayingEvent } from './history/events.ts';
import { jobEvent } from './jobs/wire.ts';
import { jukeboxEvent } from './jukebox/wire.ts';
import { networkEvent } from './lan/wire.ts';
import { libraryEvent } from './library/wire.ts';
import { likeEvent } from './likes/wire.ts';
import { queueEvent } from './playback/events.ts';
import { playlistEvent } from './playlists/wire.ts';
import { podcastEvent } from './podcasts/wire.ts';
import { stationEvent } from './radio/wire.ts';
import { scanEvent } from './scan/wire.ts';

export const EVENTS = [
  jobEvent,
  scanEvent,
  downloadEvent,
  libraryEvent,
  likeEvent,
  historyEvent,
  queueEvent,
  playlistEvent,
  nowPlayingEvent,
  networkEvent,
  jukeboxEvent,
  devicesEvent,
  deviceCommandEvent,
  podcastEvent,
  stationEvent,
] as const;

/** Data of the events by name. */
export type EventMap = { [Kind in (typeof EVENTS)[number] as Kind['name']]: z.output<Kind['data']> };
export type EventName = keyof EventMap;
