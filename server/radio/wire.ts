// Zod schemas of internet radio stations.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { isoTime, toIso } from '../http/times.ts';
import type { RadioStation, StationFields } from './service.ts';

export const StationIn = z
  .strictObject({
    name: z.string().max(2_000),
    stream_url: z.string().max(2_000).meta({ description: 'of the stream, or of a playlist file that names it' }),
    home_page_url: z.string().max(2_000).nullable().default(null),
  })
  .meta({ id: 'StationIn' });
export const StationOut = z
  .object({
    id: z.int(),
    name: z.string(),
    stream_url: z.string(),
    home_page_url: z.string().nullable(),
    title: z.string().nullable().meta({ description: 'what plays now, while somebody listens here' }),
    created_at: isoTime,
  })
  .meta({ id: 'StationOut' });
export type StationOut = z.output<typeof StationOut>;
export const StationList = z.array(StationOut);

export const stationEvent = event('station', z.object({}), 'a radio station changed, or what it plays');

export const toStationFields = (body: z.output<typeof StationIn>): StationFields => ({
  name: body.name,
  streamUrl: body.stream_url,
  homePageUrl: body.home_page_url,
});

export const toStationOut = (station: RadioStation, title: string | undefined): StationOut => ({
  id: station.id,
  name: station.name,
  stream_url: station.streamUrl,
  home_page_url: station.homePageUrl,
  title: title ?? null,
  created_at: toIso(station.createdAt),
});
