// Atoms of MP4 and QuickTime files: size, name, body. ISO/IEC 14496-12
import { fourCc, u32be, u64be } from '../integers.ts';
import { MAX_ATOM_DEPTH, MAX_ATOMS } from '../limits.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../window.ts';

/** Use one reader per file, since it limits the number of atoms. */
export class AtomReader {
  readonly window: Window;
  name = 0;
  bodyAt = 0;
  /** End of the atom, at most that of its parent. */
  end = 0;
  #count = 0;
  #depth = 0;

  constructor(window: Window) {
    this.window = window;
  }

  /** Reads the atom header at `at`; false if there is none before `limit`. The next atom is at `end`. */
  read(at: number, limit: number): boolean {
    if (at + 8 > limit) return false;
    const i = this.window.at(at, 8);
    if (i < 0) return false;
    if (++this.#count > MAX_ATOMS) throw new UnreadableAudio(`the file has more than ${MAX_ATOMS} atoms`);
    let size = u32be(this.window.bytes, i);
    this.name = u32be(this.window.bytes, i + 4);
    this.bodyAt = at + 8;
    if (size === 0) size = limit - at; // to the end of the file
    else if (size === 1) {
      const k = this.window.at(at + 8, 8);
      if (k < 0) return false;
      size = u64be(this.window.bytes, k);
      this.bodyAt = at + 16;
    }
    if (size < this.bodyAt - at) return false;
    this.end = Math.min(limit, at + size);
    return true;
  }

  /** Calls `visit` for each atom in `[start, limit)`; `this.bodyAt` and `this.end` are set accordingly. */
  each(start: number, limit: number, visit: (name: number, bodyAt: number, end: number) => void): void {
    if (++this.#depth > MAX_ATOM_DEPTH) throw new UnreadableAudio(`atoms are nested more than ${MAX_ATOM_DEPTH} deep`);
    for (let at = start; this.read(at, limit);) {
      at = this.end;
      visit(this.name, this.bodyAt, this.end);
    }
    this.#depth--;
  }
}

export const atom = fourCc;
