// The loops of kernels.wat, each user with a memory of its own. They stay in WebAssembly since they take what a track
// of four minutes needs beyond its decoding from 990 to 390–470 ms of processor time.
import { KERNELS } from './kernels-wasm.ts';

/** The part of WebAssembly's types that is used; Node's types leave them to the browser's. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: object };
};

const PAGE_BYTES = 65_536;

/** Addresses and lengths are in bytes where they are not counts; see kernels.wat. */
interface Exports {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  at: { value: number };
  resample(
    line: number,
    have: number,
    table: number,
    taps: number,
    phases: number,
    whole: number,
    rest: number,
    out: number,
  ): number;
  truePeak(line: number, count: number, taps: number, gain: number, least: number): number;
  peak(from: number, count: number): number;
  dots(vector: number, others: number, count: number, out: number): void;
  spectra(line: number, hop: number, half: number, order: number, turns: number, numbers: number, power: number): void;
  bands(power: number, bands: number, count: number, out: number): void;
  weighted(left: number, right: number, count: number, state: number): void;
  product(a: number, b: number, count: number): number;
}

let compiled: object | undefined;

export function createKernels() {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNELS, 'base64'));
  const loops = new WebAssembly.Instance(compiled).exports as Exports;
  return {
    loops,
    /** Makes the memory at least this large; views of it from before are no longer valid if it was smaller. */
    reserve(bytes: number): ArrayBuffer {
      const missingBytes = bytes - loops.memory.buffer.byteLength;
      if (missingBytes > 0) loops.memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
      return loops.memory.buffer;
    },
  };
}
