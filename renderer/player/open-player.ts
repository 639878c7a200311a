// Creates the player of a window: the shared engine, its reports to the server, and the system's media controls.
import { fetchAnalysis } from '../api/analysis.ts';
import { fetchStream } from '../api/client.ts';
import { MAX_QUEUED_TRACKS, saveQueue, sendPlays, tellNowPlaying } from '../api/queue.ts';
import { fetchTracks } from '../api/library.ts';
import { fetchRadio } from '../api/likeness.ts';
import { fetchAudio, materialize } from '../api/remote.ts';
import { fetchPlace, forgetPlace, savePlace } from '../api/chapters.ts';
import { getSession, onSessionChange } from '../api/session.ts';
import { clientId, clientName } from '../api/client-name.ts';
import { streamUrl } from '../api/urls.ts';
import { PlayerEngine } from './engine.ts';
import { findReason } from './failure-reason.ts';
import type { AudioAhead } from './audio-ahead.ts';
import { announceNowPlaying } from './report-now-playing.ts';
import { createPlaceFinder, keepPlaces } from './audiobook-bookmarks.ts';
import { keptPlays, PlayReports } from './play-reports.ts';
import { syncQueue } from './queue-sync.ts';
import { SharedPlayer } from './shared-player.ts';
import { isDataSaved, streamKbps } from './sound-output.ts';

export function openPlayer(): SharedPlayer {
  const plays = keptPlays(() => `tonearm.plays.${getSession()?.user.id}`);
  const reports = new PlayReports({
    openStore: () => (getSession() ? plays : null),
    send: sendPlays,
    client: clientName(),
  });
  /** Tracks that the server converts because this browser cannot decode them. */
  const converted = new Set<number>();
  const formatOf = (trackId: number): string => (converted.has(trackId) ? 'mp3' : 'playable');
  const fetchNow = (trackId: number, signal: AbortSignal): Promise<Response> =>
    fetchStream(trackId, signal, streamKbps(), formatOf(trackId));
  /** The module is loaded when a window gets the engine. */
  let audioAhead: AudioAhead | undefined;
  const startBeside = async (engine: PlayerEngine): Promise<() => void> => {
    const { createAudioAhead, workBeside } = await import('./beside-engine.ts');
    audioAhead ??= createAudioAhead({
      fetchStream: fetchNow,
      keyOf: (trackId) => `${trackId} ${streamKbps()} ${formatOf(trackId)}`,
      isAllowed: () => !isDataSaved(),
    });
    return workBeside(engine, { ahead: audioAhead, materialize });
  };
  const places = createPlaceFinder(fetchPlace);
  const player = new SharedPlayer({
    createEngine: (state) =>
      new PlayerEngine(
        {
          streamUrl: (trackId, startMs) => streamUrl(trackId, streamKbps(), formatOf(trackId), startMs),
          isOriginal: ({ id }) =>
            streamKbps() === 0 && getSession()?.user.max_bitrate_kbps == null && !converted.has(id),
          fetchStream: (trackId, signal) =>
            audioAhead ? audioAhead.stream(trackId, signal) : fetchNow(trackId, signal),
          convert(trackId) {
            const isNew = !converted.has(trackId);
            converted.add(trackId);
            return isNew;
          },
          fetchAnalysis,
          findReason,
          fetchAudio,
          fetchRows: async (query, rows) => (await fetchTracks(query, rows)).items,
          fetchRadio: async (radio, count) => {
            const { items, by } = await fetchRadio(radio, count);
            return { by, tracks: items.map(({ track, reasons }) => ({ ...track, why: reasons })) };
          },
          findPlace: places.find,
          onPlayed: (play) => reports.add(play),
        },
        state,
      ),
    onLead(engine) {
      const besideTasks = startBeside(engine);
      besideTasks.catch(reportError); // playback works without these tasks
      const stops = [
        syncQueue(engine, {
          save: (place) => (getSession() ? saveQueue({ ...place, client: clientId() }) : Promise.resolve()),
          most: MAX_QUEUED_TRACKS,
        }),
        announceNowPlaying(engine, (playing) =>
          getSession() ? tellNowPlaying({ ...playing, client: clientName() }) : Promise.resolve(),
        ),
        () => void besideTasks.then((stop) => stop()),
        keepPlaces(engine, { save: savePlace, forget: forgetPlace, ...places }),
      ];
      return () => stops.forEach((stop) => stop());
    },
  });
  const flush = () => void reports.flush();
  addEventListener('online', flush);
  onSessionChange(flush);
  flush();
  return player;
}
