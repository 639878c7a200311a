// Sends zips of albums, playlists, artists and selections while they are read. If every file is sent unchanged, sizes
// and layout are known in advance, so that a broken download can be resumed; converted files are made one by one.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, PlaylistId, TrackId, UserId } from '../db/ids.ts';
import { AppError, conflict, notFound } from '../errors.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { zipBytes, zipSize, type ZipEntry } from '../http/zip.ts';
import { albumFolder, nameKey, numbered, safeName, trackName } from '../media/readable-names.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { waitForTurn } from '../runtime/time-slices.ts';
import type { PreparedFile, SendRequest, StreamingService } from '../streaming/service.ts';
import { createZipQueries, type NamedRow } from './queries.ts';
import { bindContext } from '../runtime/bind-context.ts';

export const MAX_ZIP_TRACKS = 20_000;
const READ_BYTES = 256 << 10;
/** The number of cached checksums of files that were sent, for the next range of their zip. */
const MAX_CACHED_CHECKSUMS = 100_000;
const CACHE_CONTROL = 'private, no-cache';
const NOT_INCLUDED_FILE = 'Not included.txt';

/** Selects the content of a zip. */
export type ZipContent =
  | { albumId: AlbumId }
  | { artistId: ArtistId }
  | { playlistId: PlaylistId }
  | { trackIds: readonly TrackId[]; name: string };

type ZipWish = Pick<SendRequest, 'format' | 'maxBitrateKbps' | 'maxKbps'>;

interface ZipDeps {
  db: MainDb;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
  streaming: Pick<StreamingService, 'prepareFile'>;
}

interface ZipList {
  /** Name of the zip, without its extension. */
  name: string;
  trackIds: readonly TrackId[];
  /** True if all files are in one folder with a number, in the order of a playlist. */
  isOrdered: boolean;
}

interface PlannedFile {
  path: string;
  modifiedAt: Date;
  prepared: PreparedFile | { kind: 'text'; bytes: Buffer };
}

export type ZipService = ReturnType<typeof createZipService>;

export function createZipService(deps: ZipDeps) {
  const context = createContext(deps);

  return bindContext(context, { send });
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, playlists, streaming }: ZipDeps) {
  const queries = createZipQueries(db);
  const sums = new Map<string, number>();
  return { playlists, streaming, queries, sums };
}

async function list(context: Context, userId: UserId, content: ZipContent): Promise<ZipList> {
  if ('trackIds' in content) return { ...content, isOrdered: false };
  if ('playlistId' in content) {
    const playlist = await context.playlists.get(userId, content.playlistId);
    const trackIds: TrackId[] = [];
    for await (const entries of context.playlists.allEntries(userId, playlist))
      for (const { track } of entries) trackIds.push(track.id);
    return { name: playlist.name, trackIds, isOrdered: true };
  }
  if ('albumId' in content) {
    const album = context.queries.findAlbum(content.albumId);
    if (!album) throw notFound('album', content.albumId);
    const name = album.artist === null ? album.title : `${album.artist} - ${album.title}`;
    return { name, trackIds: context.queries.ofAlbum(content.albumId), isOrdered: false };
  }
  const name = context.queries.findArtist(content.artistId);
  if (name === undefined) throw notFound('artist', content.artistId);
  return { name, trackIds: context.queries.ofArtist(content.artistId), isOrdered: false };
}

/** Plans a file for every track that has audio, with its path; tracks without audio are named in a text file. */
async function plan(
  context: Context,
  { name, trackIds, isOrdered }: ZipList,
  request: ZipWish,
): Promise<PlannedFile[]> {
  if (trackIds.length > MAX_ZIP_TRACKS) throw conflict(`A zip holds ${MAX_ZIP_TRACKS} tracks at most. Choose fewer.`);
  const usedPaths = new Set<string>();
  const plannedFiles: PlannedFile[] = [];
  const missingTitles: string[] = [];
  const digits = String(trackIds.length).length;
  let position = 0;
  for (const rows of context.queries.listNamed(trackIds)) {
    for (const row of rows) {
      position++;
      try {
        const preparedFile = await context.streaming.prepareFile(row.id, request);
        const extension = preparedFile.kind === 'file' ? extensionOf(preparedFile) : preparedFile.extension;
        const pathWithoutExtension = isOrdered
          ? `${safeName(name, 'Playlist')}/${inOrder(row, position, digits)}`
          : pathOf(row);
        const path = freePath(usedPaths, (n) => `${numbered(pathWithoutExtension, n)}.${extension}`);
        plannedFiles.push({ path, modifiedAt: new Date(row.createdAt), prepared: preparedFile });
      } catch (error) {
        if (!(error instanceof AppError && ['gone', 'conflict', 'not_found'].includes(error.code))) throw error;
        missingTitles.push(`${row.artistName ?? '?'} - ${row.title}: ${error.message}`);
      }
    }
    await waitForTurn();
  }
  if (plannedFiles.length === 0) throw conflict('None of these tracks has audio on this server.');
  if (missingTitles.length > 0)
    plannedFiles.push({
      path: NOT_INCLUDED_FILE,
      modifiedAt: plannedFiles[0]?.modifiedAt ?? new Date(0),
      prepared: { kind: 'text', bytes: Buffer.from(`${missingTitles.join('\n')}\n`) },
    });
  return plannedFiles;
}

function remember({ sums }: Context, key: string, sum: number): number {
  if (sums.size >= MAX_CACHED_CHECKSUMS) sums.clear();
  sums.set(key, sum);
  return sum;
}

/** Returns an entry for an existing file, and the values by which a resumed download recognizes it. */
async function entryOf(
  context: Context,
  { path, modifiedAt, prepared }: PlannedFile,
): Promise<{ entry: ZipEntry; identity: string }> {
  if (prepared.kind === 'conversion') throw new TypeError('a conversion has no size yet');
  if (prepared.kind === 'text') return textEntry(path, modifiedAt, prepared.bytes);
  const { file, track } = prepared;
  const { contentHash, sizeBytes } = track;
  const isHashKnown = file.immutable && contentHash !== null && sizeBytes !== null;
  const stamp = isHashKnown ? { size: sizeBytes, modifiedAt } : await file.stat();
  const identity = isHashKnown ? contentHash : `${String(file.path)}-${stamp.size}-${stamp.modifiedAt.getTime()}`;
  const readContent = async (range?: { start: number; end: number }) =>
    (await file.open(range)).stream as AsyncIterable<Buffer>;
  let checksum: Promise<number> | undefined;
  async function computeChecksum(): Promise<number> {
    if (stamp.size === 0) return 0;
    const sha256 = isHashKnown ? createHash('sha256') : undefined;
    const sum = await checksumOf(await readContent(), sha256);
    // the checksum of damaged bytes applies to this zip only, because the file will be repaired under the same name
    return sha256 && sha256.digest('hex') !== contentHash ? sum : remember(context, identity, sum);
  }
  return {
    identity,
    entry: {
      name: path,
      size: stamp.size,
      modifiedAt: stamp.modifiedAt,
      crc32: async () => context.sums.get(identity) ?? (checksum ??= computeChecksum()),
      read: readContent,
    },
  };
}

/**
 * Yields entries of converted files: converts each file when its turn comes and deletes it after sending. Tracks
 * whose audio is gone are named in a text file.
 */
async function* convertedEntries(
  context: Context,
  plannedFiles: readonly PlannedFile[],
  signal: AbortSignal,
): AsyncGenerator<ZipEntry> {
  let [text, modifiedAt] = ['', new Date(0)];
  for (const file of plannedFiles) {
    signal.throwIfAborted();
    modifiedAt = file.modifiedAt;
    if (file.prepared.kind === 'text') {
      text = `${file.prepared.bytes.toString()}${text}`;
      continue;
    }
    if (file.prepared.kind === 'file') {
      yield (await entryOf(context, file)).entry;
      continue;
    }
    const convertedFile = await file.prepared.make(signal).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'gone')) throw error;
      text += `${file.path}: ${error.message}\n`;
      return undefined;
    });
    if (!convertedFile) continue;
    const { path, leave } = convertedFile;
    try {
      const { size } = await stat(path);
      const sum = await checksumOf(createReadStream(path, { highWaterMark: READ_BYTES }));
      yield {
        name: file.path,
        size,
        modifiedAt: file.modifiedAt,
        crc32: () => Promise.resolve(sum),
        read: (range) => createReadStream(path, { highWaterMark: READ_BYTES, ...range }),
      };
    } finally {
      leave();
    }
  }
  if (text !== '') yield textEntry(NOT_INCLUDED_FILE, modifiedAt, Buffer.from(text)).entry;
}

/**
 * Sends a zip. Throws `not_found`, `conflict` when there is nothing to send or too much, and `forbidden` if the
 * limit of the account cannot be kept.
 */
async function send(
  context: Context,
  req: IncomingMessage,
  res: ServerResponse,
  { userId, zipped: content, wish: request }: { userId: UserId; zipped: ZipContent; wish: ZipWish },
  signal: AbortSignal,
): Promise<void> {
  const zipList = await list(context, userId, content);
  const plannedFiles = await plan(context, zipList, request);
  const disposition = contentDisposition('attachment', {
    title: zipList.name,
    extension: 'zip',
    untitled: 'Music',
  });
  if (plannedFiles.some(({ prepared }) => prepared.kind === 'conversion')) {
    res.statusCode = 200;
    res.setHeader('Content-Type', 'application/zip');
    res.setHeader('Content-Disposition', disposition);
    res.setHeader('Cache-Control', CACHE_CONTROL);
    res.setHeader('Accept-Ranges', 'none');
    if (req.method === 'HEAD') return void res.end();
    return sendPieces(zipBytes(convertedEntries(context, plannedFiles, signal)), res, signal);
  }
  const entries: ZipEntry[] = [];
  const hash = createHash('sha256');
  let newest = 0;
  for (const file of plannedFiles) {
    const { entry, identity } = await entryOf(context, file);
    entries.push(entry);
    hash.update(JSON.stringify([entry.name, entry.size, entry.modifiedAt, identity]));
    newest = Math.max(newest, entry.modifiedAt.getTime());
  }
  const size = zipSize(entries);
  await sendBytes(
    req,
    res,
    {
      stat: () => Promise.resolve({ size, modifiedAt: new Date(newest) }),
      open: (range) =>
        Promise.resolve({
          stream: Readable.from(zipBytes(entries, range), { objectMode: false, highWaterMark: READ_BYTES }),
        }),
    },
    {
      contentType: 'application/zip',
      cacheControl: CACHE_CONTROL,
      etag: hash.digest('hex').slice(0, 32),
      disposition,
    },
  );
}

async function sendPieces(pieces: AsyncIterable<Buffer>, res: ServerResponse, signal: AbortSignal): Promise<void> {
  await pipeline(Readable.from(pieces, { objectMode: false, highWaterMark: READ_BYTES }), res).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error; // if aborted, the client has disconnected
    },
  );
}

async function checksumOf(pieces: AsyncIterable<Buffer>, hash?: Hash): Promise<number> {
  let sum = 0;
  for await (const piece of pieces) {
    sum = crc32(piece, sum);
    hash?.update(piece);
  }
  return sum;
}

function freePath(usedPaths: Set<string>, toPath: (n: number) => string): string {
  for (let n = 1; ; n++) {
    const path = toPath(n);
    if (usedPaths.has(nameKey(path))) continue;
    usedPaths.add(nameKey(path));
    return path;
  }
}

/** Returns the path as in an export, so that a zip can be unpacked into a music folder. */
function pathOf(row: NamedRow): string {
  const name = trackName({ ...row, discCount: row.discCount ?? 1 });
  if (row.albumTitle === null) return `${safeName(row.artistName ?? '', 'Unknown Artist')}/${name}`;
  return `${albumFolder(row.albumArtist, row.year, row.albumTitle)}/${name}`;
}

const inOrder = ({ title, artistName }: NamedRow, position: number, digits: number): string =>
  safeName(
    `${String(position).padStart(Math.max(2, digits), '0')} ${artistName === null ? '' : `${artistName} - `}${title}`,
    String(position),
  );

const textEntry = (name: string, modifiedAt: Date, bytes: Buffer): { entry: ZipEntry; identity: string } => ({
  identity: bytes.toString(),
  entry: {
    name,
    size: bytes.length,
    modifiedAt,
    crc32: () => Promise.resolve(crc32(bytes)),
    read: ({ start, end }) => Readable.from([bytes.subarray(start, end + 1)]),
  },
});

const extensionOf = ({ track: { storageUri, format } }: PreparedFile): string => {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(storageUri ?? '')?.[1] ?? format ?? 'bin';
  return extension.toLowerCase();
};
