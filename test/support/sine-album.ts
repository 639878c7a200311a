// An album of one continuous tone for each format, cut into two tracks in the middle of a wave, to measure joins.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const RATE = 44_100;
/**
 * Frames of each half: no multiple of any format’s block, and over a second, since an Ogg file of a single page loses
 * 128 frames in decoding. Three seconds, so that a busy machine too has the next half decoded by then.
 */
export const HALF = 138_000;
export const ALBUM = 'One Long Tone';

export interface Tone {
  format: string;
  encode: string[];
  hz: number;
}

export const TONES: Tone[] = [
  { format: 'flac', encode: ['-c:a', 'flac'], hz: 150 },
  { format: 'wav', encode: ['-c:a', 'pcm_s16le'], hz: 190 },
  { format: 'ogg', encode: ['-c:a', 'libvorbis', '-q:a', '6'], hz: 160 },
  { format: 'opus', encode: ['-c:a', 'libopus', '-b:a', '160k'], hz: 200 },
  { format: 'mp3', encode: ['-c:a', 'libmp3lame', '-b:a', '192k'], hz: 170 },
  { format: 'm4a', encode: ['-c:a', 'aac', '-b:a', '192k'], hz: 210 },
];

/** Writes the halves of every tone into a folder, as an album in the order of `tones`. */
export function writeSineAlbum(ffmpeg: string, dir: string, tones: readonly Tone[]): void {
  const folder = join(dir, ALBUM);
  mkdirSync(folder, { recursive: true });
  const run = (...args: string[]) => execFileSync(ffmpeg, ['-v', 'error', '-y', ...args]);
  tones.forEach(({ format, encode, hz }, i) => {
    const whole = join(folder, 'whole.wav');
    run(
      '-f',
      'lavfi',
      '-i',
      `sine=f=${hz}:r=${RATE}:d=${Math.ceil((2 * HALF) / RATE)},volume=4,aformat=channel_layouts=stereo:sample_fmts=s16`,
      whole,
    );
    [0, 1].forEach((half) => {
      const number = i * 2 + half + 1;
      const tags = {
        title: `${format} ${half + 1}`,
        artist: 'Gapless',
        album_artist: 'Gapless',
        album: ALBUM,
        track: String(number),
      };
      run(
        '-i',
        whole,
        '-af',
        `atrim=start_sample=${half * HALF}:end_sample=${(half + 1) * HALF},asetpts=PTS-STARTPTS`,
        ...encode,
        ...Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]),
        join(folder, `${String(number).padStart(2, '0')}.${format}`),
      );
    });
    rmSync(whole);
  });
}
