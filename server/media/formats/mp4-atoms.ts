// Reads atoms of MP4 and QuickTime files: size, name, body. ISO/IEC 14496-12
import { fourCc, u32be, u64be } from '../integers.ts';
import { MAX_ATOM_DEPTH, MAX_ATOMS } from '../limits.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';

const NO_NAMES: ReadonlySet<number> = new Set();
/** Limits of the search for an atom after a damaged atom: how often, and how far. */
const MAX_SEARCHES = 8;
const MAX_SEARCH_BYTES = 4 << 20;

/** Reads atoms. Use one reader per file, since it limits the number of atoms. */
export class AtomReader {
  readonly window: Window;
  name = 0;
  bodyAt = 0;
  /** End of the atom, at most that of its parent. */
  end = 0;
  #count = 0;
  #depth = 0;
  #searches = 0;
  #isTooLong = false;

  constructor(window: Window) {
    this.window = window;
  }

  /** Reads the atom header at `at`; returns false if there is none before `limit`. The next atom is at `end`. */
  read(position: number, limit: number): boolean {
    if (position + 8 > limit) return false;
    const i = this.window.at(position, 8);
    if (i < 0) return false;
    if (++this.#count > MAX_ATOMS) throw new UnreadableAudio(`the file has more than ${MAX_ATOMS} atoms`);
    let size = u32be(this.window.bytes, i);
    this.name = u32be(this.window.bytes, i + 4);
    this.bodyAt = position + 8;
    const isToEnd = size === 0; // an atom with size 0 extends to the end of the file
    if (isToEnd) size = limit - position;
    else if (size === 1) {
      const sizeIndex = this.window.at(position + 8, 8);
      if (sizeIndex < 0) return false;
      size = u64be(this.window.bytes, sizeIndex);
      this.bodyAt = position + 16;
    }
    if (size < this.bodyAt - position) return false;
    this.#isTooLong = position + size > limit || (isToEnd && this.#depth > 1);
    this.end = Math.min(limit, position + size);
    return true;
  }

  /**
   * Calls `visit` for each atom in `[start, limit)`; `this.bodyAt` and `this.end` are set accordingly. After an atom
   * with a wrong length, the next one with one of `searchedNames` is searched for.
   */
  each(
    start: number,
    limit: number,
    visit: (name: number, bodyAt: number, end: number) => void,
    searchedNames: ReadonlySet<number> = NO_NAMES,
  ): void {
    if (++this.#depth > MAX_ATOM_DEPTH) throw new UnreadableAudio(`atoms are nested more than ${MAX_ATOM_DEPTH} deep`);
    let lastAtomAt = start - 8;
    for (let position = start; position >= 0 && position + 8 <= limit;) {
      const isRead = this.read(position, limit) && (searchedNames.size === 0 || isAtomName(this.name));
      const { name, bodyAt } = this;
      let { end } = this;
      if (isRead) lastAtomAt = position;
      if (!isRead || this.#isTooLong) {
        const next = this.#find(searchedNames, lastAtomAt + 8, limit);
        if (!isRead) {
          position = next;
          continue;
        }
        if (next >= bodyAt) end = this.end = next;
      }
      position = end;
      visit(name, bodyAt, end);
    }
    this.#depth--;
  }

  /** Finds an atom that fits into its parent, -1 if none is near. */
  #find(searchedNames: ReadonlySet<number>, from: number, limit: number): number {
    if (searchedNames.size === 0 || this.#searches++ >= MAX_SEARCHES) return -1;
    const nearPosition = this.#findWithin(searchedNames, from, Math.min(limit, from + MAX_SEARCH_BYTES), limit);
    // `moov`, the description of the audio, is often at the end of the file
    const farStart = Math.max(from + MAX_SEARCH_BYTES, limit - MAX_SEARCH_BYTES);
    return nearPosition >= 0 ? nearPosition : this.#findWithin(searchedNames, farStart, limit, limit);
  }

  #findWithin(searchedNames: ReadonlySet<number>, from: number, to: number, limit: number): number {
    const i = to - from < 8 ? -1 : this.window.at(from, to - from);
    if (i < 0) return -1;
    const b = this.window.bytes;
    for (let k = i; k + 8 <= i + to - from; k++) {
      if (!searchedNames.has(u32be(b, k + 4))) continue;
      const [position, size] = [from + k - i, u32be(b, k)];
      if (size >= 8 && position + size <= limit) return position;
    }
    return -1;
  }
}

/** Returns whether all characters are printable ASCII, or the © of iTunes. */
function isAtomName(name: number): boolean {
  for (const shift of [24, 16, 8, 0]) {
    const code = (name >>> shift) & 0xff;
    if ((code < 0x20 || code > 0x7e) && code !== 0xa9) return false;
  }
  return true;
}

export const atom = fourCc;
