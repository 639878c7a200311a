// API of enrichment: of single tracks for users who may edit them, of the whole library for superusers.
import { z } from 'zod';
import { TrackIdIn, type TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { idParam, pageQuery, queryInt, toPaged } from '../http/paging.ts';
import { route, type Principal, type Route } from '../http/route.ts';
import type { Jobs } from '../jobs/service.ts';
import { JobOut, toJobOut } from '../jobs/wire.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import { TrackOut } from '../library/wire.ts';
import type { ReviewService } from './review-service.ts';
import { AskedEnrichment, EnrichIn, MatchesOut, ReviewPage, toMatchesOut, toReviewOut } from './wire.ts';
import { ENRICH_LIBRARY, ENRICH_TASK } from './tasks.ts';

const TrackParam = idParam(TrackIdIn);
const MatchParam = TrackParam.extend({ n: queryInt.pipe(z.int().min(1).max(100)) });

interface EnrichmentRouteDeps {
  reviews: ReviewService;
  editing: Editing;
  jobs: Pick<Jobs, 'enqueue'>;
  now: () => Date;
  /** Returns a track as the API sends it. Throws `not_found`. */
  trackOut: (user: Principal, id: TrackId) => TrackOut;
  tracksOut: (user: Principal, ids: TrackId[]) => TrackOut[];
}

export const enrichmentRoutes = ({
  reviews,
  editing,
  jobs,
  now,
  trackOut,
  tracksOut,
}: EnrichmentRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/tracks/:id/metadata/enrich',
      problems: ['gone'],
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Identify a track by its tags and fingerprint; skips a track that was edited by hand',
      params: TrackParam,
      reply: AskedEnrichment,
      status: [202],
    },
    async ({ user, params }) => {
      trackOut(user, params.id);
      editing.assertTracks(user, [params.id]);
      try {
        const job = await jobs.enqueue(ENRICH_TASK, { trackId: params.id, isAsked: true });
        return { ...toJobOut(job), queued: true as const };
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'queue_unavailable') throw error;
        return { queued: false as const, detail: `${error.message} Ask again later.` };
      }
    },
  ),

  route(
    {
      method: 'post',
      path: '/jobs/enrich',
      access: 'superuser',
      summary: 'Identify pending tracks, failed tracks, or all tracks again',
      body: EnrichIn,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) => toJobOut(await jobs.enqueue(ENRICH_LIBRARY, { scope: body.scope, askedAt: now().getTime() })),
  ),

  route(
    {
      method: 'get',
      path: '/tracks/:id/matches',
      problems: ['gone'],
      access: 'user',
      summary: 'The origin of each field of a track, and its candidates by fingerprint',
      params: TrackParam,
      reply: MatchesOut,
    },
    ({ params }) => toMatchesOut(reviews.matches(params.id)),
  ),

  route(
    {
      method: 'post',
      path: '/tracks/:id/matches/:n/apply',
      problems: ['gone'],
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Apply a candidate; the track then counts as edited by hand',
      params: MatchParam,
      reply: TrackOut,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      reviews.apply(user.id, params.id, params.n);
      return trackOut(user, params.id);
    },
  ),

  route(
    {
      method: 'post',
      path: '/tracks/:id/metadata/undo',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Undo the last enrichment; 409 if it changed nothing',
      params: TrackParam,
      reply: TrackOut,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      reviews.undo(user.id, params.id);
      return trackOut(user, params.id);
    },
  ),

  route(
    {
      method: 'get',
      path: '/review',
      access: 'user',
      summary: 'Tracks whose best match is unsure or contradicts their tags, newest first',
      query: z.object(pageQuery),
      reply: ReviewPage,
    },
    ({ user, query }) =>
      toPaged(
        reviews.list(query, (ids) => tracksOut(user, ids) as (TrackOut & { id: TrackId })[]),
        query,
        toReviewOut,
      ),
  ),

  route(
    {
      method: 'delete',
      path: '/review/:id',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Dismiss the review of a track, by the id of the track; it returns only with another match',
      params: TrackParam,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      reviews.dismiss(params.id);
    },
  ),
];
