// The manifest of a snapshot. It is written last, so a snapshot with a manifest is complete.
import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** SHA-256 in hex. For a cover only the first 32 digits, because the database stores no more. */
const contentHash = z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/);
const size = z.int().min(0);

/** The time when the snapshot was started, such as `20261121T154700000Z`. Ids sort by time. */
export const SnapshotId = z.string().regex(/^\d{8}T\d{9}Z$/, 'is not the id of a snapshot');
export const toSnapshotId = (time: Date): string => time.toISOString().replace(/[-:.]/g, '');
export const snapshotTime = (id: string): Date =>
  new Date(id.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** The keys of the server and the secrets of its settings. Written only to encrypted backups. */
export const Keys = z.object({
  jwt_secret: z.string(),
  compat_secret_key: z.string(),
  settings: z.record(z.string(), z.string()),
});
export type Keys = z.output<typeof Keys>;

export const Manifest = z.object({
  format: z.union([z.literal(1), z.literal(2)]),
  id: SnapshotId,
  app_version: z.string(),
  /** The hash of the database. In the first format it was stored as `pieces`, which are read one after another. */
  database: z.object({ size, sha256, pieces: z.array(sha256).optional() }),
  /** Lists of the files, with a FileLine in JSON on each line. */
  lists: z.array(z.object({ sha256, lines: z.int() })),
  /** The content of settings.json without secrets. */
  settings: z.record(z.string(), z.unknown()),
  keys: Keys.nullable(),
  counts: z.object({
    tracks: z.int(),
    files: z.int(),
    covers: z.int(),
    referenced: z.int(),
    absent: z.int(),
    /** The number of parts of the backup that had been damaged or missing, and were stored again. */
    mended: z.int().default(0),
    bytes: size,
  }),
});
export type Manifest = z.output<typeof Manifest>;

/** `stored`: an object of the storage · `own`: a file that is only indexed, in the backup if `isCopied`. */
export const FileLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stored'),
    key: z.string().max(1_024),
    hash: contentHash,
    size: size.nullable(),
    isAbsent: z.boolean().optional(),
    /** The reason why the file is absent from the backup. */
    reason: z.string().optional(),
  }),
  z.object({
    kind: z.literal('own'),
    path: z.string().max(32_768),
    hash: contentHash.nullable(),
    size: size.nullable(),
    mtimeMs: z.number().nullable(),
    isCopied: z.boolean(),
  }),
]);
export type FileLine = z.output<typeof FileLine>;
export type StoredLine = Extract<FileLine, { kind: 'stored' }>;
export type OwnLine = Extract<FileLine, { kind: 'own' }>;

/** Returns the hash of the file's object in the backup; undefined when the backup does not have the file. */
export const hashInBackup = (line: FileLine): string | undefined =>
  (line.kind === 'stored' ? !line.isAbsent : line.isCopied) ? (line.hash ?? undefined) : undefined;
