// Small mp3 files with real audio and the tags of a test.
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadOut } from '../../server/uploads/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { makeLibrary, pathOf } from './library.ts';
import { retagMp3 } from './retag.ts';
import type { TestServer } from './server.ts';

export interface SoundFiles {
  dir: string;
  /** Writes a file into `dir` with only these ID3 frames (TIT2, TPE1, TALB, …). */
  make(name: string, frames?: Record<string, string>): string;
  /** Uploads a file with these ID3 frames; returns the new track. */
  upload(server: TestServer, name: string, frames?: Record<string, string>): Promise<TrackOut>;
}

/** Makes mp3 files with 12 s of a generated melody, the same in all files. */
export function makeSoundFiles(): SoundFiles {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-sound-'));
  const manifest = makeLibrary(
    { tracks: 1, formats: ['mp3'], seconds: '12', art: 'none', seed: 'sound' },
    join(dir, 'source'),
  );
  const [source] = manifest.files;
  if (!source) throw new Error('no file was made');
  const files: SoundFiles = {
    dir,
    make(name, frames = {}) {
      const path = join(dir, name);
      copyFileSync(pathOf(manifest, source), path);
      retagMp3(path, frames);
      return path;
    },
    async upload(server, name, frames) {
      const form = new FormData();
      form.append('files', new Blob([readFileSync(files.make(name, frames))]), name);
      const { body, status, text } = await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
      const [track] = body.items ?? [];
      if (status !== 201 || !track) throw new Error(`the upload failed: ${text}`);
      return track;
    },
  };
  return files;
}
