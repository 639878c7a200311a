// From what a file says to what the library keeps. Pure.
import type { AudioRead } from '../media/types.ts';
import type { TrackAudio, TrackIdentity } from '../library/track-writer.ts';

/** `Artist/Album/1-02 - Title.flac` → what the name says; used only where the tags are silent. */
export function fromPath(sourceId: string): { title: string; trackNumber: number | undefined; discNumber: number | undefined } {
  const name = sourceId.slice(sourceId.lastIndexOf('/') + 1).replace(/\.[^.]{1,5}$/, '').replace(/_/g, ' ').trim();
  const match = /^(?:(\d{1,2})[-.])?(\d{1,3})(?:\s*[-.)]\s*|\s+)(?=\S)(.+)$/.exec(name);
  const [, disc, track, rest] = match ?? [];
  if (!rest || !track) return { title: name || sourceId, trackNumber: undefined, discNumber: undefined };
  return { title: rest.trim(), trackNumber: Number(track) || undefined, discNumber: disc ? Number(disc) || undefined : undefined };
}

export function toIdentity({ tags }: AudioRead, sourceId: string): TrackIdentity {
  const path = tags.title === undefined || tags.trackNumber === undefined ? fromPath(sourceId) : undefined;
  const isUntagged = tags.title === undefined;
  const trackNumber = tags.trackNumber ?? (isUntagged ? path?.trackNumber : undefined);
  return {
    title: tags.title ?? path?.title ?? sourceId,
    artists: tags.artists.length > 0 ? tags.artists : tags.artist ? [tags.artist] : [],
    artist: tags.artist,
    albumArtists: tags.albumArtists,
    albumArtist: tags.albumArtist ?? (tags.albumArtists.length > 0 ? tags.albumArtists.join(', ') : undefined),
    album: tags.album,
    genres: tags.genres,
    year: tags.year,
    trackNumber,
    discNumber: tags.discNumber ?? (isUntagged ? path?.discNumber : undefined),
    compilation: tags.compilation,
    recordingMbid: tags.recordingMbid,
    releaseGroupMbid: tags.releaseGroupMbid,
    acoustidId: tags.acoustidId,
    artistSort: tags.artistSort,
    albumArtistSort: tags.albumArtistSort,
    artistMbids: tags.artistMbids,
    albumArtistMbids: tags.albumArtistMbids,
    lyrics: tags.lyrics,
    provenance: isUntagged ? { title: 'path', ...(trackNumber !== undefined && { trackNumber: 'path' }) } : undefined,
  };
}

export interface StoredAudio { storageUri: string; contentHash: string | null; audioHash: string | null; sizeBytes: number }

export function toAudio({ facts, tags, pictures }: AudioRead, { storageUri, contentHash, audioHash, sizeBytes }: StoredAudio): TrackAudio {
  const gain = tags.replayGain;
  return {
    durationMs: Math.round(facts.durationMs),
    sizeBytes,
    format: facts.format,
    codec: facts.codec,
    bitrateKbps: Math.round(facts.bitrateKbps),
    sampleRateHz: facts.sampleRateHz,
    bitDepth: facts.bitDepth ?? null,
    channels: facts.channels,
    encoderDelay: facts.encoderDelay ?? null,
    encoderPadding: facts.encoderPadding ?? null,
    trackGainDb: gain?.trackGainDb ?? null,
    trackPeak: gain?.trackPeak ?? null,
    albumGainDb: gain?.albumGainDb ?? null,
    albumPeak: gain?.albumPeak ?? null,
    hasPicture: pictures.length > 0,
    storageUri,
    contentHash,
    audioHash,
    availability: 'available',
  };
}
