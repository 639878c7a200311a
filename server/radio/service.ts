// Internet radio stations. Only players open their addresses, Tonearm does not.
import { asc, eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { RadioStationId } from '../db/ids.ts';
import { radioStations } from '../db/schema.ts';
import { invalid, notFound } from '../errors.ts';

export type RadioStation = typeof radioStations.$inferSelect;
export interface StationFields {
  name: string;
  streamUrl: string;
  homePageUrl: string | null;
}

const MOST_CHARACTERS = 2_000;

export type RadioService = ReturnType<typeof createRadioService>;

export function createRadioService({ db, now }: { db: MainDb; now: () => Date }) {
  return {
    list: (): RadioStation[] =>
      db.select().from(radioStations).orderBy(asc(radioStations.name), asc(radioStations.id)).all(),

    /** Throws `invalid` unless the addresses are http or https. */
    add: (fields: StationFields): RadioStation =>
      db
        .insert(radioStations)
        .values({ ...checked(fields), createdAt: now() })
        .returning()
        .get(),

    update(id: RadioStationId, fields: StationFields): void {
      if (db.update(radioStations).set(checked(fields)).where(eq(radioStations.id, id)).run().changes === 0)
        throw notFound('radio station', id);
    },

    remove(id: RadioStationId): void {
      if (db.delete(radioStations).where(eq(radioStations.id, id)).run().changes === 0)
        throw notFound('radio station', id);
    },
  };
}

function checked({ name, streamUrl, homePageUrl }: StationFields): StationFields {
  if (name.trim() === '' || name.length > MOST_CHARACTERS)
    throw invalid([{ field: 'name', message: `must have 1 to ${MOST_CHARACTERS} characters` }]);
  if (!isWebAddress(streamUrl)) throw invalid([{ field: 'stream_url', message: 'must be an http or https address' }]);
  if (homePageUrl !== null && !isWebAddress(homePageUrl))
    throw invalid([{ field: 'home_page_url', message: 'must be an http or https address' }]);
  return { name: name.trim(), streamUrl, homePageUrl };
}

/** Some players would run or open other schemes (`javascript:`, `file:`). */
const isWebAddress = (text: string): boolean =>
  text.length <= MOST_CHARACTERS && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
