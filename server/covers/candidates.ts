// The pictures that can be chosen as the cover of an album: in its files, in its folders, and in the cover archive. An
// id says where the picture is, so nothing is stored.
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { Db } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { MAX_PICTURES } from '../media/limits.ts';
import { nameToText } from '../storage/file-names.ts';
import { toFileUri } from '../storage/uri.ts';
import type { ArchiveAnswer, CoverArchive } from './cover-archive.ts';
import { below, foldersBeside, isOutOfReach, readEmbedded, readFile, type CandidateDeps } from './nearby-pictures.ts';
import { checkPicture, COVER_EXTENSIONS, UnusablePicture, type Cover } from './picture.ts';
import { albumRelease, findCoverRow, type WithPicture } from './queries.ts';

/** Tracks whose pictures are looked at: all pictures of the first, one of each other. */
const MAX_TRACKS = 12;
const MAX_FOLDERS = 20;
const MAX_IN_FOLDER = 40;
const EXTENSIONS = new Set([...COVER_EXTENSIONS, 'jpeg']);
const OF_ARCHIVE = /^archive-([0-9a-f-]{36})-(\d{1,20})$/;

export interface Candidate {
  id: string;
  origin: 'embedded' | 'folder' | 'archive';
  /** The title of the track, the name of the file, or what the archive says that it shows. */
  name: string;
  /** In pixels, null where it was not read yet. */
  width: number | null;
  height: number | null;
  /** It is the cover now. */
  isCurrent: boolean;
}

/** Where a picture is. */
interface Place extends Pick<Candidate, 'id' | 'name'> {
  origin: 'embedded' | 'folder';
  /** Undefined if there is none. Throws UnusablePicture, `gone` or `unavailable`. */
  read(): Promise<Buffer | undefined>;
  /** Changes with the file. */
  keyOf(): Promise<string>;
}

/** A candidate whose bytes can be read. */
interface FoundCandidate {
  /** Names the content, for a cache. */
  key: string;
  /** Both throw `not_found` or `unavailable`, and the reason of the signal. */
  read(signal?: AbortSignal): Promise<Buffer>;
  /** Large enough to look at. */
  readSmall(): Promise<Buffer>;
}

interface CandidatesDeps extends CandidateDeps {
  db: Db;
  archive: Pick<CoverArchive, 'isEnabled' | 'listImages' | 'findImage'>;
}

export function createCandidates({ db, sources, audioStore, embedded, archive }: CandidatesDeps) {
  const inAudio = ({ id, title, storageUri, updatedAt }: WithPicture, n: number): Place => ({
    id: `embedded-${id}-${n}`,
    origin: 'embedded',
    name: title,
    read: () => readEmbedded(storageUri, { audioStore, embedded }, n),
    keyOf: () => Promise.resolve(`${id} ${n} ${updatedAt} ${storageUri}`),
  });
  const inFolder = (path: string): Place => ({
    id: `folder-${hash('sha256', path, 'hex').slice(0, 32)}`,
    origin: 'folder',
    name: path.slice(path.lastIndexOf('/') + 1),
    read: () => readFile(path, audioStore),
    async keyOf() {
      const { size, modifiedAt } = await (await audioStore.resolve(toFileUri(path))).stat();
      return `${path} ${size} ${modifiedAt.getTime()}`;
    },
  });

  /** Pictures of any name; none in a folder that cannot be read, or is a music folder itself. */
  async function picturesIn(folder: string): Promise<string[]> {
    const { path } = await audioStore.resolve(toFileUri(folder));
    if (path === undefined) return [];
    const names = (await readdir(path, { encoding: 'buffer' })).map(nameToText);
    return names
      .filter((name) => !name.startsWith('.') && EXTENSIONS.has(extensionOf(name)))
      .toSorted()
      .slice(0, MAX_IN_FOLDER);
  }

  async function placesOf(albumId: AlbumId): Promise<Place[]> {
    const [first, ...others] = sources.audioWithPicture(albumId, MAX_TRACKS);
    const ofFirst = first ? Array.from({ length: MAX_PICTURES }, (_, n) => inAudio(first, n)) : [];
    const paths = new Set<string>();
    for (const { path, imageName } of foldersBeside(albumId, sources).slice(0, MAX_FOLDERS)) {
      if (imageName !== null) paths.add(below(path, imageName));
      const names = await picturesIn(path).catch((error: unknown) => {
        if (!isOutOfReach(error)) throw error;
        return [];
      });
      for (const name of names) paths.add(below(path, name));
    }
    return [...ofFirst, ...others.map((track) => inAudio(track, 0)), ...[...paths].map(inFolder)];
  }

  return {
    /** Different pictures in the files and folders of the album. Unusable ones are left out. */
    async listNearby(albumId: AlbumId): Promise<Candidate[]> {
      const current = findCoverRow(db, albumId)?.etag;
      const found = new Map<string, Candidate>();
      for (const { id, origin, name, read } of await placesOf(albumId)) {
        const cover = await tryRead(read);
        if (!cover || found.has(cover.etag)) continue;
        const { width, height, etag } = cover;
        found.set(etag, { id, origin, name, width, height, isCurrent: etag === current });
      }
      return [...found.values()];
    },

    /** Those of the archive, or why it has none. Throws the reason of `signal`. */
    async listOfArchive(albumId: AlbumId, signal: AbortSignal): Promise<{ items: Candidate[]; reason: string | null }> {
      const mbid = albumRelease(db, albumId);
      if (!archive.isEnabled()) return { items: [], reason: 'The cover archive is switched off in the settings.' };
      if (mbid === null) return { items: [], reason: 'The album has not been identified.' };
      const answer = await archive.listImages(mbid, signal);
      if (answer.result !== 'images') return { items: [], reason: reasonOf(answer) };
      const items = answer.images.map(({ release, id, types }): Candidate => ({
        id: `archive-${release}-${id}`,
        origin: 'archive',
        name: types.join(', '),
        width: null,
        height: null,
        isCurrent: false,
      }));
      return { items, reason: null };
    },

    /** Throws `not_found` for one that the album does not have, `gone` and `unavailable`. */
    async find(albumId: AlbumId, id: string): Promise<FoundCandidate> {
      const [, release, image] = OF_ARCHIVE.exec(id) ?? [];
      if (release !== undefined && image !== undefined) {
        const ask = async (isSmall: boolean, signal?: AbortSignal): Promise<Buffer> => {
          const answer = await archive.findImage({ release, id: image }, isSmall, signal);
          if (answer.result === 'picture') return answer.bytes;
          if (answer.result === 'none') throw notFound('picture', id);
          throw new AppError('unavailable', reasonOf(answer) ?? '');
        };
        return { key: id, read: (signal) => ask(false, signal), readSmall: () => ask(true) };
      }
      const place = (await placesOf(albumId)).find((one) => one.id === id);
      if (!place) throw notFound('picture', id);
      const read = async (): Promise<Buffer> => {
        const bytes = await place.read().catch((error: unknown) => {
          if (!(error instanceof UnusablePicture)) throw error;
          return undefined;
        });
        if (!bytes) throw notFound('picture', id);
        return bytes;
      };
      return { key: await place.keyOf(), read, readSmall: read };
    },
  };
}

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

async function tryRead(read: Place['read']): Promise<Cover | undefined> {
  try {
    const bytes = await read();
    return bytes && (await checkPicture(bytes));
  } catch (error) {
    if (error instanceof UnusablePicture || isOutOfReach(error)) return undefined;
    throw error;
  }
}

function reasonOf(answer: Exclude<ArchiveAnswer, { result: 'picture' }>): string | null {
  if (answer.result === 'none') return null;
  if (answer.result === 'paused') return 'The cover archive cannot be reached right now.';
  return `The cover archive cannot be used right now: ${answer.reason}.`;
}
