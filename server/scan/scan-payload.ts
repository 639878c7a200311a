// What a scan is asked for, as its job keeps it. The same wish has the same form, so that it is not queued twice.
import type { z } from 'zod';
import type { TASKS } from '../jobs/tasks.ts';

export interface ScanWish {
  /** The smallest set, spelled as on disk; none, or [''], means the whole music folder. */
  folders: string[];
  restore?: boolean;
  dryRun?: boolean;
}

type Payload = z.input<(typeof TASKS)['scan_local_folder']['payload']>;

export const scanPayload = ({ folders, restore = false, dryRun = false }: ScanWish): Payload => ({
  ...(folders.some((folder) => folder !== '') && { paths: folders.toSorted() }),
  ...(restore && { restore }),
  ...(dryRun && { dryRun }),
});
