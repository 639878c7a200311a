// Reads numbers of up to 32 bits, most significant bit first. Bits after the end are 0.
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #bit: number;

  /** Reads `bytes[start, end)`. */
  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#bit = start * 8;
    this.#end = end * 8;
  }

  read(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++, this.#bit++) {
      const byte = this.#bit < this.#end ? (this.#bytes[this.#bit >> 3] as number) : 0;
      value = value * 2 + ((byte >> (7 - (this.#bit & 7))) & 1);
    }
    return value;
  }
}
