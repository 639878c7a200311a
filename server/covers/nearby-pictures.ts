// Pictures in local files that may be the cover of an album, in the order of `cover-order.ts`.
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { AlbumId } from '../db/ids.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { NEARBY_ORDER } from './cover-order.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import { MAX_COVER_BYTES, UnusablePicture } from './picture.ts';
import type { CoverSources } from './queries.ts';

/** Tracks opened per album: when the pictures of the first are broken, those of the others are too. */
const MAX_TRACKS = 3;
/** Folders of one disc, whose cover is often one level up. */
const DISC_FOLDER = /^(?:dis[ck]|cd|dvd|vinyl|lp|side)[\s._#-]*[0-9a-z]{1,3}$/i;

export interface Candidate {
  origin: (typeof NEARBY_ORDER)[number];
  /** The unchecked bytes; undefined if there is no picture. Throws UnusablePicture, `gone` or `unavailable`. */
  read(): Promise<Buffer | undefined>;
}

interface CandidateDeps {
  sources: CoverSources;
  audioStore: AudioStore;
  embedded: EmbeddedPictures;
}

export function listCandidates(albumId: AlbumId, { sources, audioStore, embedded }: CandidateDeps): Candidate[] {
  const list: Record<Candidate['origin'], () => (() => Promise<Buffer | undefined>)[]> = {
    embedded: () =>
      sources.audioWithPicture(albumId, MAX_TRACKS).map((uri) => async () => {
        const file = await audioStore.resolve(uri);
        const { size } = await file.stat(); // throws `gone`
        return embedded.read(file.path === undefined ? { size, open: file.open } : { path: file.path });
      }),
    folder: () =>
      imagesBeside(albumId, sources).map((path) => async () => {
        const file = await audioStore.resolve(`file:${path}`);
        const { size } = await file.stat();
        if (size > MAX_COVER_BYTES) throw new UnusablePicture('the picture is larger than 20 MB');
        return readAll((await file.open()).stream);
      }),
  };
  return NEARBY_ORDER.flatMap((origin) => list[origin]().map((read) => ({ origin, read })));
}

function imagesBeside(albumId: AlbumId, sources: CandidateDeps['sources']): string[] {
  const paths = sources.foldersOf(albumId).flatMap(({ path, imageName }) => {
    const own = imageName === null ? [] : [below(path, imageName)];
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const isDisc = DISC_FOLDER.test(path.slice(path.lastIndexOf('/') + 1));
    const shared = isDisc ? sources.imageIn(above) : null;
    return shared === null ? own : [...own, below(above, shared)];
  });
  return [...new Set(paths)];
}

const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Throws UnusablePicture at MAX_COVER_BYTES, also for a file that grows while it is read. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_COVER_BYTES) throw new UnusablePicture('the picture is larger than 20 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The file may be back later, so its absence does not mean that the album has no cover. */
export const isOutOfReach = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'gone' || error.code === 'unavailable');
