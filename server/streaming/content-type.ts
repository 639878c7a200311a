// What a track's audio is called on the wire.
import { FORMATS, formatFacts } from '../media/audio-formats.ts';

export const AUDIO_CONTENT_TYPES = [...new Set(FORMATS.map(([, { contentType }]) => contentType))];

export const contentTypeOf = (format: string | null): string =>
  formatFacts(format)?.contentType ?? 'application/octet-stream';
