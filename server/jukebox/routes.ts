// REST API for the speaker of the jukebox: a window registers itself, reports its position about every 15 s, and
// follows `jukebox` events.
import { z } from 'zod';
import { route, type Route } from '../http/route.ts';
import type { JukeboxService } from './service.ts';
import { JukeboxOut, SpeakerIn, toJukeboxOut } from './wire.ts';

export const jukeboxRoutes = (jukebox: JukeboxService): Route[] => [
  route(
    {
      method: 'get',
      path: '/jukebox',
      access: 'user',
      summary: 'Your speaker, and what it plays',
      reply: JukeboxOut,
    },
    ({ user }) => toJukeboxOut(jukebox.get(user.id)),
  ),

  route(
    {
      method: 'put',
      path: '/jukebox/speaker',
      access: 'user',
      right: 'canJukebox',
      summary: 'Register as the speaker that phones control, or report its position; expires after 45 s',
      body: SpeakerIn,
      reply: JukeboxOut,
    },
    ({ user, body: { speaker_id, name, report } }) =>
      toJukeboxOut(
        jukebox.report(
          user.id,
          { id: speaker_id, name },
          report && {
            version: report.version,
            currentIndex: report.current_index,
            positionMs: report.position_ms,
            isPlaying: report.playing,
            gain: report.gain,
          },
        ),
      ),
  ),

  route(
    {
      method: 'delete',
      path: '/jukebox/speaker/:speaker_id',
      access: 'user',
      summary: 'Unregister as the speaker',
      params: z.object({ speaker_id: z.string().max(100) }),
    },
    ({ user, params }) => jukebox.withdraw(user.id, params.speaker_id),
  ),
];
