import { z } from 'zod';
import { MOODS } from '../library/lists/moods.ts';

export const AnalysisOut = z
  .object({
    state: z.enum(['off', 'working', 'done', 'busy', 'battery']).meta({
      description: 'busy: waits while people use the server or jobs run; battery: waits for mains power',
    }),
    total: z.int().meta({ description: 'tracks with audio' }),
    tracks_per_second: z.number().nullable().meta({ description: 'of the last tracks; null before the first' }),
    seconds_left: z
      .number()
      .nullable()
      .meta({ description: 'without pauses, by the length of the tracks; null while the speed is not known' }),
    failed: z.int().meta({ description: 'tracks whose audio cannot be decoded' }),
    sure_tempo: z.int().meta({ description: 'tracks whose tempo is certain enough to be shown' }),
    sure_key: z.int().meta({ description: 'the same of the key' }),
    steps: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        done: z.int().meta({ description: 'tracks, also those that have no result' }),
        total: z.int(),
      }),
    ),
  })
  .meta({ id: 'AnalysisOut' });
export type AnalysisOut = z.output<typeof AnalysisOut>;

export const WaveformOut = z
  .object({
    version: z.int(),
    points: z
      .string()
      .nullable()
      .meta({
        description:
          '1,000 bytes in base64: the highest sample of each thousandth of the track, 255 is full scale; null ' +
          'before it was analyzed',
      }),
  })
  .meta({ id: 'WaveformOut' });
export type WaveformOut = z.output<typeof WaveformOut>;

export const TrackAnalysisOut = z
  .object({
    failure: z.string().nullable().meta({ description: 'why its audio could not be analyzed' }),
    loudness: z
      .object({
        integrated_lufs: z.number().nullable().meta({ description: 'EBU R 128; null for silence' }),
        range_lu: z.number(),
        true_peak_dbtp: z.number().nullable().meta({ description: 'null for silence' }),
        album_integrated_lufs: z.number().nullable(),
        album_range_lu: z.number().nullable(),
        leading_silence_ms: z.number(),
        trailing_silence_ms: z.number(),
      })
      .nullable(),
    rhythm: z
      .object({
        bpm: z.number().nullable(),
        bpm_confidence: z.number().nullable().meta({ description: 'the probability that the tempo is right' }),
        beats_ms: z.array(z.int()).meta({ description: 'empty where the tempo is not certain' }),
        bar_beats: z.int().nullable().meta({ description: 'beats of a bar; null where that is not certain' }),
        first_downbeat: z.int().nullable().meta({ description: 'index of the first beat that begins a bar' }),
        key: z.string().nullable(),
        camelot: z.string().nullable(),
        key_confidence: z.number().nullable().meta({ description: '0 to 1' }),
        energy: z.int().nullable().meta({ description: '1 to 10' }),
      })
      .nullable(),
    energy_rank: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          'the share of the library that has less energy, by 0.01; of the energy of the tags where there is one. ' +
          'null before it was counted, and for a track without energy',
      }),
    moods: z.array(z.enum(MOODS)).meta({ description: 'by energy_rank and key' }),
    is_comparable: z.boolean().meta({ description: 'similar tracks can be found by its sound' }),
  })
  .meta({ id: 'TrackAnalysisOut' });
export type TrackAnalysisOut = z.output<typeof TrackAnalysisOut>;
