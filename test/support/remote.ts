// A server with a remote catalogue, and functions that use it: search, save, fetch, play.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DownloadJobOut } from '../../server/downloads/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { SearchHit, SearchResponse } from '../../server/search/remote-wire.ts';
import type { FakeItem } from '../fakes/internet-archive.ts';
import { makeLibrary } from './library.ts';
import type { Answer, TestServer } from './server.ts';

/** Paces without rate limits. Their time limits are different numbers, so that holdLimit can tell them apart. */
export const HASTE = {
  perSecond: 1_000,
  checkMs: 600_001,
  searchMs: 600_002,
  requestMs: 600_003,
  stallMs: 600_004,
  downloadMs: 600_005,
};

/** Makes valid audio files, all different. */
export function makeAudio(dir: string, tracks: number, format = 'mp3'): Buffer[] {
  const { files } = makeLibrary({ tracks, seed: 'remote', formats: [format], seconds: '1', art: 'none' }, dir);
  return files
    .filter(({ duplicateOf, messy }) => !duplicateOf && !messy)
    .map(({ path }) => readFileSync(join(dir, path)));
}

export const itemOf = (
  identifier: string,
  title: string,
  creator: string,
  files: [title: string, bytes: Buffer][],
): FakeItem => ({
  identifier,
  fields: { title, creator: [creator], date: '2009-05-01' },
  files: files.map(([name, bytes], i) => ({
    name: `${String(i + 1).padStart(2, '0')} ${name}.mp3`,
    bytes,
    fields: { title: name, artist: creator, album: title, track: `${i + 1}/${files.length}`, length: '00:01' },
  })),
});

export function remoteUser(server: TestServer) {
  const searchFor = async (query: string): Promise<SearchHit[]> =>
    (await server.api<SearchResponse>(`/sources/streamsrc/search?q=${encodeURIComponent(query)}`)).body.items;
  const saveBody = ({
    source,
    source_id,
    title,
    artist_name,
    album_title,
    duration_ms,
    year,
    cover_url,
  }: SearchHit) => ({ source, source_id, title, artist_name, album_title, duration_ms, year, cover_url });

  return {
    searchFor,
    async firstHit(query: string): Promise<SearchHit> {
      const [hit] = await searchFor(query);
      if (!hit) throw new Error(`nothing found for ${query}`);
      return hit;
    },
    save: (hit: SearchHit): Promise<Answer<TrackOut>> =>
      server.api<TrackOut>('/tracks/remote', { method: 'POST', body: saveBody(hit) }),
    materialize: (id: number): Promise<Answer<DownloadJobOut>> =>
      server.api<DownloadJobOut>(`/tracks/${id}/materialize`, { method: 'POST' }),
    download: async (id: number): Promise<DownloadJobOut> =>
      (await server.api<DownloadJobOut>(`/downloads/${id}`)).body,
    track: async (id: number): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body,
    async bytesOf(id: number): Promise<Buffer> {
      const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
      if (response.status !== 200) throw new Error(`stream answered ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}
