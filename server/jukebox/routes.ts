// The speaker's side of the jukebox: a window offers itself, reports where it is every 15 s or so, and follows
// `jukebox` events.
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
      summary: 'Which of your windows is the speaker, and what it is to play',
      reply: JukeboxOut,
    },
    ({ user }) => toJukeboxOut(jukebox.get(user.id)),
  ),

  route(
    {
      method: 'put',
      path: '/jukebox/speaker',
      access: 'user',
      summary: 'Be the speaker that phones steer, or say again that you are; without a word for 45 s you are not',
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
      summary: 'Be the speaker no longer',
      params: z.object({ speaker_id: z.string().max(100) }),
    },
    ({ user, params }) => jukebox.withdraw(user.id, params.speaker_id),
  ),
];
