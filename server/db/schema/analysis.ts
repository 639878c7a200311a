// The analysis of audio.
import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AlbumId } from '../ids.ts';
import { albums } from './artists-and-albums.ts';
import { blob, time } from './columns.ts';

/**
 * analysis/: what was heard in an audio. It stays when its tracks go, so that they need not be decoded again when they
 * come back. Each version is that of the step that has been through it; 0 is none.
 */
export const audioAnalyses = sqliteTable(
  'audio_analyses',
  {
    // tracks.audio_hash; for a track whose payload has no hash `-<id>-` and what else its file is known by
    audioKey: text('audio_key').primaryKey(),
    failure: text('failure'), // why it could not be decoded: the steps have no results
    fingerprintVersion: integer('fingerprint_version').notNull().default(0),
    noFingerprint: text('no_fingerprint'), // why it has none
    loudnessVersion: integer('loudness_version').notNull().default(0),
    sampleRateHz: integer('sample_rate_hz'), // of the decoded audio; this and the next three go with the loudness
    frames: integer('frames'),
    leadingSilence: integer('leading_silence'), // frames
    trailingSilence: integer('trailing_silence'), // frames
    loudnessLufs: real('loudness_lufs'), // integrated; null for silence
    loudnessRangeLu: real('loudness_range_lu'),
    truePeak: real('true_peak'), // linear, 1.0 is full scale
    loudnessBlocks: blob('loudness_blocks'), // dsp/histogram-code.ts; for albums
    waveformVersion: integer('waveform_version').notNull().default(0),
    waveform: blob('waveform'), // dsp/waveform.ts
    rhythmVersion: integer('rhythm_version').notNull().default(0),
    bpm: real('bpm'),
    bpmConfidence: real('bpm_confidence'), // 0..1
    beats: blob('beats'), // analysis/beat-code.ts
    barBeats: integer('bar_beats'), // beats of a bar; null where that is not certain
    firstDownbeat: integer('first_downbeat'), // which beat begins a bar
    musicalKey: text('musical_key'), // `C`, `F#m`
    keyConfidence: real('key_confidence'), // 0..1
    energy: integer('energy'), // 1..10
    characterVersion: integer('character_version').notNull().default(0),
    character: blob('character'), // dsp/character.ts
    retryAt: time('retry_at'), // when a decoder that was missing or too slow is to be tried again
    unusedSince: time('unused_since'), // no track has this audio any more
  },
  (t) => [
    index('audio_analyses_retry_at')
      .on(t.retryAt)
      .where(sql`retry_at IS NOT NULL`),
  ],
);

/** analysis/: the loudness of an album, from what was measured of its tracks. */
export const albumLoudness = sqliteTable('album_loudness', {
  albumId: integer('album_id')
    .$type<AlbumId>()
    .primaryKey()
    .references(() => albums.id, { onDelete: 'cascade' }),
  members: text('members').notNull(), // sum over the audio it was computed from: another one is due again
  loudnessLufs: real('loudness_lufs'), // null for silence
  loudnessRangeLu: real('loudness_range_lu').notNull(),
  truePeak: real('true_peak').notNull(),
});
