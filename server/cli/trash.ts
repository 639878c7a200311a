// `tonearm trash list|restore|empty`: manages deleted tracks, without a running server.
import type { App } from '../app.ts';
import { TrackIdIn, type TrackId, type UserId } from '../db/ids.ts';
import { rightsFrom } from '../db/rights.ts';
import { TRASH_RETENTION_MS, type TrashUser } from '../library/trash/trash.ts';
import { wholeNumberFromText } from '../runtime/number-text.ts';
import { UsageError } from './usage-error.ts';

const OPERATOR: TrashUser = { id: 0 as UserId, rights: rightsFrom(() => true) };
const PAGE_SIZE = 500;

/** Runs a command on the trash. Sets exit code 1 when a track could not be restored. */
export async function runTrash({ trash }: Pick<App, 'trash'>, [action, ...words]: string[]): Promise<void> {
  if (action === 'list') return printTrash(trash);
  if (action === 'restore') {
    const { restored, failed } = await trash.restoreMany(OPERATOR, words.map(toId));
    console.log(`Restored ${formatCount(restored)}.`);
    for (const { id, detail } of failed) console.log(`  ${id}: ${detail}`);
    if (failed.length > 0) process.exitCode = 1;
  } else {
    const ids = words.length === 0 ? undefined : words.map(toId);
    console.log(`Deleted ${formatCount(await trash.deleteMany(OPERATOR, ids))} permanently.`);
  }
}

function printTrash(trash: App['trash']): void {
  let total = 1;
  for (let offset = 0; offset < total; offset += PAGE_SIZE) {
    const page = trash.list(OPERATOR, { limit: PAGE_SIZE, offset });
    total = page.total;
    for (const { id, title, artistName, sizeBytes, deletedAt, deletedByName } of page.items)
      console.log(
        `${id}  ${artistName ?? 'Unknown Artist'} - ${title}  ${formatMegabytes(sizeBytes ?? 0)}  deleted ` +
          `${formatDay(deletedAt)}${deletedByName === null ? '' : ` by ${deletedByName}`}, kept until ` +
          formatDay(new Date(deletedAt.getTime() + TRASH_RETENTION_MS)),
      );
    if (offset + PAGE_SIZE >= total)
      console.log(`${formatCount(total)} in the trash, ${formatMegabytes(page.sizeBytes)}.`);
  }
}

const formatCount = (tracks: number): string => `${tracks} ${tracks === 1 ? 'track' : 'tracks'}`;
const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const formatDay = (time: Date): string => time.toISOString().slice(0, 10);

function toId(word: string): TrackId {
  const id = TrackIdIn.safeParse(wholeNumberFromText(word));
  if (!id.success) throw new UsageError(`"${word}" is not the id of a track. See trash list.`);
  return id.data;
}
