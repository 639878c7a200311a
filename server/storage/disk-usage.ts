// How full the disk below a folder is. The folder may not exist yet, so its nearest existing ancestor is measured.
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isAbsent } from './file-errors.ts';
import type { DiskUsage } from './storage.ts';

export async function diskUsage(folder: string): Promise<DiskUsage> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      const { bsize, blocks, bfree, bavail } = await statfs(path);
      return { path, totalBytes: blocks * bsize, freeBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
    } catch (error) {
      if (!isAbsent(error) || path === dirname(path)) throw error;
    }
  }
}
