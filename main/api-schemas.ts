// The parts of the server's responses and events that the app reads, validated before use.
import { z } from 'zod';

export const Session = z.object({ access_token: z.string().min(1) });

export const Job = z.object({
  id: z.int(),
  task: z.string(),
  status: z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']),
  progress: z.object({ done: z.number(), total: z.number().nullable() }).nullable(),
  result: z.unknown().optional(),
  error: z.string().nullable(),
});
export type Job = z.output<typeof Job>;
export const Jobs = z.object({ items: z.array(Job) });

export const Scan = z.object({
  job_id: z.int(),
  phase: z.string(),
  files_done: z.number(),
  files_total: z.number().nullable(),
});
export type Scan = z.output<typeof Scan>;

/** The counts of a finished scan. */
export const ScanCounts = z.object({ added: z.int(), failed_count: z.int() });

/** Whether the library is shared. `locked_because` says why sharing cannot be changed; events omit it. */
export const Network = z.object({
  shared: z.boolean(),
  locked_because: z.string().nullable().optional(),
  registration_open: z.boolean().optional(),
});
export type Network = z.output<typeof Network>;
export const Uploaded = z.object({
  items: z.array(z.object({ id: z.int() })),
  errors: z.array(z.object({ filename: z.string(), detail: z.string() })),
});
export const Imported = z.object({ playlist: z.object({ id: z.int(), name: z.string() }) });
export const Track = z.object({ storage_uri: z.string().nullable() });
export const MusicFolders = z.object({
  items: z.array(z.object({ source_id_prefix: z.string(), path: z.string().nullable() })),
});
export const Settings = z.object({ items: z.array(z.object({ key: z.string(), value: z.unknown() })) });
export const Problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.object({ message: z.string() })).optional(),
});
