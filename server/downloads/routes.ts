// REST API for saving hits of the remote catalogue and downloading their audio. The library is shared, and so are its
// downloads.
import { DownloadIdIn, TrackIdIn, type TrackId, type UserId } from '../db/ids.ts';
import { conflict, notFound } from '../errors.ts';
import type { Accepts } from '../http/accepts.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { Reply, route, type Principal, type Route } from '../http/route.ts';
import { TrackOut } from '../library/wire.ts';
import { CatalogueError, toAppError } from '../sources/catalogue.ts';
import { STREAMSRC, type RemoteCatalogue } from '../sources/remote-catalogue.ts';
import type { Sources } from '../sources/registry.ts';
import {
  DownloadIn,
  DownloadJobOut,
  DownloadPage,
  DownloadQuery,
  FetchOut,
  RemoteTrackIn,
  toDownloadOut,
  toHitTexts,
  withoutDownload,
} from './wire.ts';
import type { FetchState, Downloads } from './service.ts';
import type { RemoteTracks, SavedTrack } from './remote-tracks.ts';

interface DownloadRouteDeps {
  downloads: Downloads;
  remoteTracks: RemoteTracks;
  catalogue: Pick<RemoteCatalogue, 'assertOn' | 'resolve' | 'whyOff'>;
  sources: Pick<Sources, 'find'>;
  trackOut: (user: Principal, id: TrackId) => TrackOut;
}

const DownloadParam = idParam(DownloadIdIn);
const HIT_FORMS: Accepts = {
  body: { artist: 'artist_name', album: 'album_title', id: 'source_id' },
  extraForms: ['duration, duration_seconds in seconds for duration_ms'],
  bodyAs: ({ duration, duration_seconds, ...hit }) => {
    const durationValue = duration ?? duration_seconds;
    const seconds = typeof durationValue === 'string' ? Number(durationValue) : durationValue;
    return {
      ...(typeof seconds === 'number' && Number.isFinite(seconds) && { duration_ms: Math.round(seconds * 1_000) }),
      ...hit,
    };
  },
};

export function downloadRoutes({ downloads, remoteTracks, catalogue, sources, trackOut }: DownloadRouteDeps): Route[] {
  function assertCatalogue(name: string): void {
    if (!sources.find(name)) throw notFound('source', name.slice(0, 100));
    if (name !== STREAMSRC) throw conflict(`Nothing can be downloaded from the source ${name}.`);
  }

  /** Returns the track of a hit; the hit is saved if it is new. */
  async function findOrSaveTrack(userId: UserId, sourceId: string): Promise<SavedTrack> {
    const trackId = remoteTracks.find(sourceId);
    if (trackId !== undefined) return { trackId, isNew: false };
    try {
      return remoteTracks.save(userId, sourceId, await catalogue.resolve(sourceId));
    } catch (error) {
      throw toAppError(error);
    }
  }

  /** Returns the title in the catalogue, or the last part of the id when the catalogue cannot be reached. */
  async function titleOf(sourceId: string): Promise<string> {
    const lastPart = sourceId.split(/[:/]/).findLast((part) => part.trim() !== '') ?? sourceId;
    if (catalogue.whyOff() !== undefined) return lastPart;
    try {
      return (await catalogue.resolve(sourceId)).title;
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return lastPart;
    }
  }

  const toReply = (user: Principal, trackId: TrackId, { hasAudio, download }: FetchState) =>
    new Reply(hasAudio ? 200 : 202, download ? toDownloadOut(download) : withoutDownload(trackOut(user, trackId)));

  return [
    route(
      {
        method: 'post',
        path: '/tracks/remote',
        access: 'user',
        right: 'canUpload',
        summary: 'Save a hit of the remote catalogue as a track without audio',
        body: RemoteTrackIn,
        accepts: HIT_FORMS,
        reply: TrackOut,
        status: [201, 200],
      },
      async ({ user, body }) => {
        assertCatalogue(body.source);
        const title = body.title ?? (await titleOf(body.source_id));
        const { trackId, isNew } = remoteTracks.save(user.id, body.source_id, toHitTexts(body, title));
        return new Reply(isNew ? 201 : 200, trackOut(user, trackId));
      },
    ),

    route(
      {
        method: 'post',
        path: '/tracks/:id/materialize',
        access: 'user',
        right: 'canUpload',
        summary: 'Fetch the audio of a saved track; the download in flight when there is one, 200 when it is here',
        params: idParam(TrackIdIn),
        reply: FetchOut,
        status: [202, 200],
      },
      async ({ user, params }) => {
        const fetchState = await downloads.materialize(user.id, params.id);
        return toReply(user, params.id, fetchState);
      },
    ),

    route(
      {
        method: 'get',
        path: '/downloads',
        access: 'user',
        summary: 'Downloads, newest first',
        query: DownloadQuery,
        reply: DownloadPage,
      },
      ({ query }) => toPaged(downloads.list(query.status, query), query, toDownloadOut),
    ),

    route(
      {
        method: 'get',
        path: '/downloads/:id',
        access: 'user',
        summary: 'One download',
        params: DownloadParam,
        reply: DownloadJobOut,
      },
      ({ params }) => toDownloadOut(downloads.get(params.id)),
    ),

    route(
      {
        method: 'post',
        path: '/downloads',
        access: 'user',
        right: 'canUpload',
        summary: 'Save a hit of the remote catalogue, or take a saved one, and fetch its audio',
        body: DownloadIn,
        accepts: HIT_FORMS,
        reply: FetchOut,
        status: [202, 200],
      },
      async ({ user, body }) => {
        if (body.source_id !== undefined) {
          assertCatalogue(body.source);
          catalogue.assertOn();
        }
        const savedTrack =
          body.source_id === undefined
            ? { trackId: body.track_id as TrackId, isNew: false }
            : await findOrSaveTrack(user.id, body.source_id);
        try {
          const fetchState = await downloads.request(user.id, savedTrack.trackId);
          return toReply(user, savedTrack.trackId, fetchState);
        } catch (error) {
          remoteTracks.undoSave(user.id, savedTrack);
          throw error;
        }
      },
    ),

    route(
      {
        method: 'post',
        path: '/downloads/:id/retry',
        access: 'user',
        right: 'canUpload',
        summary: 'Try a download again that failed or was cancelled',
        params: DownloadParam,
        reply: DownloadJobOut,
        status: [202],
      },
      async ({ params }) => toDownloadOut(await downloads.retry(params.id)),
    ),

    route(
      {
        method: 'delete',
        path: '/downloads/:id',
        access: 'user',
        right: 'canUpload',
        summary: 'Cancel a download of your own; administrators cancel any',
        params: DownloadParam,
        reply: DownloadJobOut,
      },
      async ({ user, params }) => toDownloadOut(await downloads.cancel(user, params.id)),
    ),
  ];
}
