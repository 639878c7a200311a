// Results of the analysis of audio.
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AlbumId } from '../ids.ts';
import { albums } from './artists-and-albums.ts';
import { blob, time } from './columns.ts';

/**
 * analysis/: the results of the analysis of an audio. The row stays when its tracks are deleted, so that restored
 * tracks need not be decoded again. Columns with `version` have the version of the step that was run; 0 when it was not
 * run.
 */
export const audioAnalyses = sqliteTable(
  'audio_analyses',
  {
    // tracks.audio_hash; for a track whose payload has no hash, `-<id>-` and other properties of its file
    audioKey: text('audio_key').primaryKey(),
    failure: text('failure'), // why the audio could not be decoded; then the steps have no results
    fingerprintVersion: integer('fingerprint_version').notNull().default(0),
    noFingerprint: text('no_fingerprint'), // why there is no fingerprint
    loudnessVersion: integer('loudness_version').notNull().default(0),
    // of the decoded audio; this and the next three columns come from the step `loudness`
    sampleRateHz: integer('sample_rate_hz'),
    frames: integer('frames'),
    leadingSilence: integer('leading_silence'), // number of frames
    trailingSilence: integer('trailing_silence'), // number of frames
    loudnessLufs: real('loudness_lufs'), // integrated loudness; null for silence
    loudnessRangeLu: real('loudness_range_lu'),
    truePeak: real('true_peak'), // linear, 1.0 is full scale
    loudnessBlocks: blob('loudness_blocks'), // histograms for the loudness of albums, see dsp/histogram-code.ts
    waveformVersion: integer('waveform_version').notNull().default(0),
    waveform: blob('waveform'), // encoded by dsp/waveform.ts
    rhythmVersion: integer('rhythm_version').notNull().default(0),
    bpm: real('bpm'),
    bpmConfidence: real('bpm_confidence'), // 0..1
    beats: blob('beats'), // encoded by analysis/beat-code.ts
    barBeats: integer('bar_beats'), // beats per bar; null when not certain
    firstDownbeat: integer('first_downbeat'), // index of the first beat that begins a bar
    musicalKey: text('musical_key'), // such as `C` or `F#m`
    keyConfidence: real('key_confidence'), // 0..1
    energy: integer('energy'), // 1..10
    characterVersion: integer('character_version').notNull().default(0),
    character: blob('character'), // encoded by dsp/character.ts
    retryAt: time('retry_at'), // when to try again after a decoder was missing or too slow
    unusedSince: time('unused_since'), // the time since which no track has had this audio
  },
  (t) => [
    index('audio_analyses_retry_at')
      .on(t.retryAt)
      .where(sql`retry_at IS NOT NULL`),
  ],
);

/** analysis/: the loudness of an album, computed from the measurements of its tracks. */
export const albumLoudness = sqliteTable('album_loudness', {
  albumId: integer('album_id')
    .$type<AlbumId>()
    .primaryKey()
    .references(() => albums.id, { onDelete: 'cascade' }),
  // hash of the tracks' audio from which the row was computed; if it differs, the row is computed again
  members: text('members').notNull(),
  loudnessLufs: real('loudness_lufs'), // null for silence
  loudnessRangeLu: real('loudness_range_lu').notNull(),
  truePeak: real('true_peak').notNull(),
});
