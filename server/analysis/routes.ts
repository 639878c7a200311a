// REST API of the analysis.
import { TrackIdIn, type TrackId } from '../db/ids.ts';
import { camelotOf } from '../dsp/key.ts';
import { notFound } from '../errors.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { unpackBeats } from './beat-code.ts';
import type { AnalysisPass } from './pass.ts';
import type { AlbumLoudnessRow, AnalysisRow } from './queries.ts';
import { MIN_TEMPO_CONFIDENCE, STEPS } from './steps.ts';
import { AnalysisOut, TrackAnalysisOut, WaveformOut } from './wire.ts';

const TrackParam = idParam(TrackIdIn);

interface AnalysisRouteDeps {
  pass: AnalysisPass;
}

export const analysisRoutes = ({ pass }: AnalysisRouteDeps): Route[] => {
  function rowOf(id: TrackId): AnalysisRow {
    const row = pass.queries.ofTrack(id);
    if (!row) throw notFound('track', id);
    return row;
  }

  return [
    route(
      {
        method: 'get',
        path: '/analysis',
        access: 'superuser',
        summary: 'How far the analysis of the audio is',
        reply: AnalysisOut,
      },
      async () => toAnalysisOut(await pass.status()),
    ),
    route(
      {
        method: 'delete',
        path: '/analysis',
        access: 'superuser',
        summary: 'Deletes all that was measured; while the analysis is on, it begins anew',
      },
      () => pass.throwAway(),
    ),
    route(
      {
        method: 'get',
        path: '/tracks/:id/analysis',
        access: 'user',
        summary: 'What was measured of the audio of a track',
        params: TrackParam,
        reply: TrackAnalysisOut,
      },
      ({ params }) => {
        const { percent, moods } = pass.queries.energyPlace(params.id);
        return {
          ...toTrackAnalysisOut(rowOf(params.id), pass.queries.albumOf(params.id)),
          energy_rank: percent === null ? null : percent / 100,
          moods,
        };
      },
    ),
    route(
      {
        method: 'get',
        path: '/tracks/:id/waveform',
        access: 'user',
        summary: 'The outline of a track, for seek bars',
        params: TrackParam,
        reply: WaveformOut,
      },
      ({ params, res }) => {
        const { waveform } = rowOf(params.id);
        if (!waveform) return { version: STEPS.waveform, points: null };
        res.set('Cache-Control', 'private, max-age=86400');
        return { version: STEPS.waveform, points: Buffer.from(waveform).toString('base64') };
      },
    ),
  ];
};

const toAnalysisOut = ({
  tracksPerSecond,
  secondsLeft,
  failures,
  sureTempo,
  sureKey,
  ...status
}: Awaited<ReturnType<AnalysisPass['status']>>): AnalysisOut => ({
  ...status,
  tracks_per_second: tracksPerSecond,
  seconds_left: secondsLeft,
  failed: failures,
  sure_tempo: sureTempo,
  sure_key: sureKey,
});

function toTrackAnalysisOut(
  row: AnalysisRow,
  album: AlbumLoudnessRow | undefined,
): Omit<TrackAnalysisOut, 'energy_rank' | 'moods'> {
  const ms = (frames: number | null): number => Math.round(((frames ?? 0) * 1e6) / (row.sampleRateHz ?? 1)) / 1e3;
  const isTempoSure = (row.bpmConfidence ?? 0) >= MIN_TEMPO_CONFIDENCE;
  const isMeasured = row.failure === null && row.loudnessRangeLu !== null;
  return {
    failure: row.failure,
    loudness: isMeasured
      ? {
          integrated_lufs: row.loudnessLufs,
          range_lu: row.loudnessRangeLu ?? 0,
          true_peak_dbtp: row.truePeak ? Math.round(2_000 * Math.log10(row.truePeak)) / 100 : null,
          album_integrated_lufs: album?.loudnessLufs ?? null,
          album_range_lu: album?.loudnessRangeLu ?? null,
          leading_silence_ms: ms(row.leadingSilence),
          trailing_silence_ms: ms(row.trailingSilence),
        }
      : null,
    rhythm:
      row.failure === null && row.rhythmVersion
        ? {
            bpm: row.bpm,
            bpm_confidence: row.bpmConfidence,
            beats_ms: isTempoSure ? unpackBeats(row.beats) : [],
            bar_beats: isTempoSure ? row.barBeats : null,
            first_downbeat: isTempoSure ? row.firstDownbeat : null,
            key: row.musicalKey,
            camelot: row.musicalKey === null ? null : (camelotOf(row.musicalKey) ?? null),
            key_confidence: row.keyConfidence,
            energy: row.energy,
          }
        : null,
    is_comparable: row.character !== null,
  };
}
