// REST API of lyrics that are looked up or edited.
import type { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import type { LibraryService } from '../library/service.ts';
import { LyricsOut } from '../library/wire.ts';
import { toLyricsOut, toTrackOut } from '../library/wire-maps.ts';
import type { LyricsHit, LyricsSearch } from './lyrics-search.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { Candidate, LyricsService } from './service.ts';
import {
  LyricsCandidates,
  LyricsHitPage,
  LyricsIn,
  LyricsLookupOut,
  LyricsSearchQuery,
  LyricsWordsQuery,
  type LyricsCandidate,
  type LyricsHitOut,
} from './wire.ts';

const TrackParam = idParam(TrackIdIn);

interface LyricsRouteDeps {
  lyrics: LyricsService;
  searchLyrics: LyricsSearch;
  library: LibraryService;
  editing: Editing;
}

export function lyricsRoutes({ lyrics, searchLyrics, library, editing }: LyricsRouteDeps): Route[] {
  function current(id: TrackId): z.input<typeof LyricsOut> | null {
    const trackLyrics = library.lyrics.ofTrack(id);
    const hasContent = trackLyrics && (trackLyrics.lines.length > 0 || trackLyrics.isInstrumental);
    return hasContent ? toLyricsOut(trackLyrics) : null;
  }
  const assertTrackExists = (userId: UserId, id: TrackId): void => void library.getTrack(userId, id);

  return [
    route(
      {
        method: 'get',
        path: '/lyrics/search',
        access: 'user',
        summary: 'Search in lyrics: tracks with these words one after the other, then those with all of them',
        query: LyricsWordsQuery,
        reply: LyricsHitPage,
      },
      async ({ user, query }) => toPaged(await searchLyrics(user.id, query.q, query), query, toLyricsHitOut),
    ),

    route(
      {
        method: 'post',
        path: '/tracks/:id/lyrics/lookup',
        access: 'user',
        summary: 'Look up the lyrics of a track now, if it has none',
        params: TrackParam,
        reply: LyricsLookupOut,
      },
      async ({ user, params, signal }) => {
        assertTrackExists(user.id, params.id);
        const fault = library.lyrics.ofTrack(params.id) ? undefined : await lyrics.lookUp(params.id, signal);
        const trackLyrics = current(params.id);
        return { outcome: trackLyrics ? ('found' as const) : (fault ?? ('none' as const)), lyrics: trackLyrics };
      },
    ),

    route(
      {
        method: 'get',
        path: '/tracks/:id/lyrics/candidates',
        access: 'user',
        summary: 'Lyrics at the service for this track, or for a text',
        params: TrackParam,
        query: LyricsSearchQuery,
        problems: ['conflict'],
        reply: LyricsCandidates,
      },
      async ({ user, params, query, signal }) => {
        assertTrackExists(user.id, params.id);
        editing.assertTracks(user, [params.id]);
        return (await lyrics.candidates(params.id, query.q, signal)).map(toCandidate);
      },
    ),

    route(
      {
        method: 'put',
        path: '/tracks/:id/lyrics',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        summary: 'Set the lyrics of a track: as text (LRC, TTML or plain), or those of the service with an id',
        params: TrackParam,
        body: LyricsIn,
        reply: LyricsOut,
      },
      async ({ user, params, body, signal }) => {
        assertTrackExists(user.id, params.id);
        editing.assertTracks(user, [params.id]);
        if ('text' in body) await lyrics.write(params.id, body.text);
        else await lyrics.pick(params.id, body.lrclib_id, signal);
        const trackLyrics = library.lyrics.ofTrack(params.id);
        if (!trackLyrics) throw new AppError('not_found', `Track ${params.id} has no lyrics.`);
        return toLyricsOut(trackLyrics);
      },
    ),

    route(
      {
        method: 'delete',
        path: '/tracks/:id/lyrics',
        access: 'user',
        right: 'canEdit',
        orOwn: true,
        summary: 'Remove edited lyrics; lyrics of the file or of the service are hidden',
        params: TrackParam,
      },
      ({ user, params }) => {
        assertTrackExists(user.id, params.id);
        editing.assertTracks(user, [params.id]);
        return lyrics.remove(params.id);
      },
    ),
  ];
}

const toCandidate = ({ id, title, artistName, album, duration, isInstrumental, plain, synced, fits }: Candidate) =>
  ({
    id,
    title,
    artist_name: artistName,
    album_title: album,
    duration_ms: duration === null ? null : Math.round(duration * 1_000),
    is_instrumental: isInstrumental,
    synced: synced !== null,
    excerpt: (plain ?? synced ?? '').slice(0, 400),
    fits,
  }) satisfies LyricsCandidate;

const toLyricsHitOut = ({ track, text, startMs }: LyricsHit): z.input<typeof LyricsHitOut> => ({
  track: toTrackOut(track),
  text,
  start_ms: startMs,
});
