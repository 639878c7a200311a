// What a snapshot says of itself. Written last, so a snapshot that has a manifest is whole. Parsed like anything that
// comes from outside.
import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** sha256 in hex; of a cover its first 32 digits, which is what its row knows. */
const contentHash = z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/);
const size = z.int().min(0);

/** `20261121T154700000Z`: when it was begun; ids sort by time. */
export const SnapshotId = z.string().regex(/^\d{8}T\d{9}Z$/, 'is not the id of a snapshot');
export const toSnapshotId = (at: Date): string => at.toISOString().replace(/[-:.]/g, '');
export const snapshotTime = (id: string): Date =>
  new Date(id.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** The library's own keys and the secret ones of its settings. Only ever written into a locked backup. */
export const Keys = z.object({
  jwt_secret: z.string(),
  compat_secret_key: z.string(),
  settings: z.record(z.string(), z.string()),
});
export type Keys = z.output<typeof Keys>;

export const Manifest = z.object({
  format: z.literal(1),
  id: SnapshotId,
  app_version: z.string(),
  /** In pieces of one size, so that of a large database only what changed is stored again. */
  database: z.object({ size, sha256, pieces: z.array(sha256) }),
  /** Of the files, each a JSON line; see FileLine. */
  lists: z.array(z.object({ sha256, lines: z.int() })),
  /** settings.json as it was, without secrets. */
  settings: z.record(z.string(), z.unknown()),
  keys: Keys.nullable(),
  counts: z.object({
    tracks: z.int(),
    files: z.int(),
    covers: z.int(),
    referenced: z.int(),
    absent: z.int(),
    bytes: size,
  }),
});
export type Manifest = z.output<typeof Manifest>;

/**
 * `stored`: an object of the library's storage · `own`: a person's file that is only indexed, and is in the backup when
 * `isCopied`.
 */
export const FileLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stored'),
    key: z.string().max(1_024),
    hash: contentHash,
    size: size.nullable(),
    isAbsent: z.boolean().optional(),
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

/** The hash under which a line's bytes are in the backup; undefined when they are not. */
export const hashInBackup = (line: FileLine): string | undefined =>
  (line.kind === 'stored' ? !line.isAbsent : line.isCopied) ? (line.hash ?? undefined) : undefined;
