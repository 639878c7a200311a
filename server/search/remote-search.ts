// Searches catalogues in parallel. A catalogue that fails is reported and does not affect the others.
import type { MainDb } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { remoteIds, tracks } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { toAppError } from '../sources/catalogue.ts';
import { searchFault, STREAMSRC, type RemoteCatalogue, type RemoteHit } from '../sources/remote-catalogue.ts';

type SavedHit = RowAs<typeof remoteIds, 'sourceId' | 'trackId'> & RowAs<typeof tracks, 'availability'>;
/** A hit, with its track if the track is in the library. */
export interface FoundHit {
  source: string;
  hit: RemoteHit;
  savedHit: SavedHit | undefined;
}
interface RemoteResults {
  hits: FoundHit[];
  errors: { source: string; detail: string }[];
}

interface RemoteSearchDeps {
  db: MainDb;
  catalogue: Pick<RemoteCatalogue, 'search'>;
}

export type RemoteSearch = ReturnType<typeof createRemoteSearch>;

export function createRemoteSearch({ db, catalogue }: RemoteSearchDeps) {
  const findSaved = db.$client.prepare<
    [string, string],
    SavedHit
  >(`SELECT r.source_id AS sourceId, r.track_id AS trackId, t.availability
    FROM json_each(?) ids CROSS JOIN remote_ids r ON r.source = ? AND r.source_id = ids.value
    JOIN tracks t ON t.id = r.track_id`);
  const searchers: Record<string, (query: string, limit: number) => Promise<RemoteHit[]>> = {
    [STREAMSRC]: catalogue.search,
  };

  async function searchOne(source: string, query: string, limit: number): Promise<FoundHit[]> {
    const hits = (await searchers[source]?.(query, limit)) ?? [];
    const savedById = new Map(
      findSaved.all(JSON.stringify(hits.map(({ sourceId }) => sourceId)), source).map((row) => [row.sourceId, row]),
    );
    return hits.map((hit) => ({ source, hit, savedHit: savedById.get(hit.sourceId) }));
  }

  return {
    canSearch: (source: string): boolean => source in searchers,

    /** Searches one source. Throws `conflict` when the source is off, `unavailable` when it does not answer. */
    async search(source: string, query: string, limit: number): Promise<FoundHit[]> {
      try {
        return await searchOne(source, query, limit);
      } catch (error) {
        throw toAppError(error);
      }
    },

    /** Searches these sources, or all. Errors of a source are part of the result. */
    async searchAll(
      query: string,
      limit: number,
      sources: readonly string[] = Object.keys(searchers),
    ): Promise<RemoteResults> {
      const results = await Promise.all(
        [...new Set(sources)].map(async (source) => {
          if (!(source in searchers)) return { source, detail: 'There is no searchable source with this name.' };
          try {
            return await searchOne(source, query, limit);
          } catch (error) {
            return { source, detail: error instanceof AppError ? error.message : searchFault(error) };
          }
        }),
      );
      return {
        hits: results.flatMap((result) => (Array.isArray(result) ? result : [])).slice(0, limit),
        errors: results.flatMap((result) => (Array.isArray(result) ? [] : [result])),
      };
    },
  };
}
