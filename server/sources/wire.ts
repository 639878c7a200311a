// Sources on the wire (decisions 5).
import { z } from 'zod';
import { isoTime, toIsoOrNull } from '../http/times.ts';
import type { SourceInfo } from './registry.ts';

export const SourceOut = z.object({
  name: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  reason: z.string().optional(),
  capabilities: z.array(z.enum(['scan', 'search', 'download'])),
  last_scan: isoTime.nullable().optional(),
}).meta({ id: 'SourceOut' });
export type SourceOut = z.output<typeof SourceOut>;

export const toSourceOut = ({ lastScan, ...source }: SourceInfo): SourceOut => ({
  ...source,
  ...(lastScan !== undefined && { last_scan: toIsoOrNull(lastScan) }),
});
