// Lists, adds and changes internet radio stations.
import type { MainDb } from '../db/client.ts';
import type { RadioStationId, UserId } from '../db/ids.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { createStationQueries, type RadioStation } from './queries.ts';

export type { RadioStation };
/** A station; `mayBePrivate` is true if an administrator entered its address, which may be in the local network. */
export type PlayableStation = RadioStation & { mayBePrivate: boolean };
export interface StationFields {
  name: string;
  streamUrl: string;
  homePageUrl: string | null;
}

const MAX_FIELD_CHARACTERS = 2_000;

export type RadioService = ReturnType<typeof createRadioService>;

const MAX_STATIONS = 5_000;

interface RadioServiceDeps {
  db: MainDb;
  now: () => Date;
  onChange: () => void;
}

export function createRadioService({ db, now, onChange }: RadioServiceDeps) {
  const queries = createStationQueries(db);
  return {
    list: queries.list,

    get(id: RadioStationId): PlayableStation {
      const row = queries.find(id);
      if (!row) throw notFound('radio station', id);
      return { ...row.station, mayBePrivate: row.mayBePrivate ?? false };
    },

    add(addedBy: UserId, fields: StationFields): RadioStation {
      const values = { ...validateStation(fields), addedBy, createdAt: now() };
      if (queries.count() >= MAX_STATIONS) throw conflict(`There are ${MAX_STATIONS} stations, which is the limit.`);
      const station = queries.insert(values);
      onChange();
      return station;
    },

    update(addedBy: UserId, id: RadioStationId, fields: StationFields): RadioStation {
      const station = queries.update(id, { ...validateStation(fields), addedBy });
      if (!station) throw notFound('radio station', id);
      onChange();
      return station;
    },

    remove(id: RadioStationId): void {
      if (!queries.delete(id)) throw notFound('radio station', id);
      onChange();
    },
  };
}

function validateStation({ name, streamUrl, homePageUrl }: StationFields): StationFields {
  if (name.trim() === '' || name.length > MAX_FIELD_CHARACTERS)
    throw invalid([{ field: 'name', message: `must have 1 to ${MAX_FIELD_CHARACTERS} characters` }]);
  if (!isWebAddress(streamUrl)) throw invalid([{ field: 'stream_url', message: 'must be an http or https address' }]);
  if (homePageUrl !== null && !isWebAddress(homePageUrl))
    throw invalid([{ field: 'home_page_url', message: 'must be an http or https address' }]);
  return { name: name.trim(), streamUrl, homePageUrl };
}

/**
 * Returns whether the text is an http(s) address: some players would run or open other schemes (`javascript:`,
 * `file:`).
 */
const isWebAddress = (text: string): boolean =>
  text.length <= MAX_FIELD_CHARACTERS && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
