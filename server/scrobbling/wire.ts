import { z } from 'zod';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import type { ScrobblingStatus } from './accounts.ts';
import { SCROBBLERS } from './scrobblers.ts';

const service = z.enum(SCROBBLERS);
export const ScrobblerQuery = z.object({
  service: service.default('listenbrainz').meta({ description: 'which service' }),
});

export const ScrobblingIn = z
  .strictObject({
    token: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^[\x21-\x7e]+$/, 'must be a token as shown by the service')
      .meta({
        description:
          'user token (ListenBrainz), API key (Maloja), or the token of POST /users/me/scrobbling/sign-in once it is ' +
          'allowed on its page (Last.fm, Libre.fm)',
      }),
    url: z
      .url({ protocol: /^https?$/ })
      .max(500)
      .optional()
      .meta({ description: 'address of your Maloja server' }),
    sync_loves: z
      .boolean()
      .optional()
      .meta({ description: 'keep liked tracks and loved songs the same; default false' }),
  })
  .meta({ id: 'ScrobblingIn' });

export const SignInOut = z
  .object({
    token: z.string(),
    url: z.string().meta({ description: 'page of the service on which the user allows access' }),
  })
  .meta({ id: 'ScrobblingSignIn' });

export const ScrobblingOut = z
  .object({
    service,
    title: z.string(),
    sign_in: z.enum(['token', 'page', 'own_server']),
    connected: z.boolean(),
    enabled: z.boolean().meta({ description: 'whether scrobbling to it is possible on this server' }),
    username: z.string().nullable(),
    can_sync_loves: z.boolean(),
    sync_loves: z.boolean(),
    loves_synced_at: isoTime.nullable(),
    queued: z.int().meta({ description: 'plays to be sent' }),
    refused: z.int().meta({ description: 'plays that the service refused' }),
    refusals: z
      .array(
        z.object({
          title: z.string(),
          artist_name: z.string().nullable(),
          played_at: isoTime,
          reason: z.string(),
        }),
      )
      .meta({ description: 'the newest of those' }),
    submitted: z.int(),
    last_submitted_at: isoTime.nullable(),
    problem: z.string().nullable(),
    stopped: z.boolean().meta({ description: 'nothing is sent until the user signs in again' }),
  })
  .meta({ id: 'ScrobblingOut' });
export type ScrobblingOut = z.output<typeof ScrobblingOut>;
export const ScrobblingList = z.array(ScrobblingOut);

export const toScrobblingOut = (status: ScrobblingStatus): ScrobblingOut => ({
  service: status.service,
  title: status.title,
  sign_in: status.signIn,
  connected: status.isConnected,
  enabled: status.isEnabled,
  username: status.username,
  can_sync_loves: status.canSyncLoves,
  sync_loves: status.syncLoves,
  loves_synced_at: toIsoOrNull(status.lovesSyncedAt),
  queued: status.queued,
  refused: status.refused,
  refusals: status.refusals.map(({ title, artistName, playedAt, reason }) => ({
    title,
    artist_name: artistName,
    played_at: toIso(new Date(playedAt)),
    reason,
  })),
  submitted: status.submitted,
  last_submitted_at: toIsoOrNull(status.lastSubmittedAt),
  problem: status.problem,
  stopped: status.isStopped,
});
