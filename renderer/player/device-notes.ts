// What this window says about other devices, and the commands for them. Its agent (device-agent.ts) is loaded after the
// window has opened.
import { useSyncExternalStore } from 'react';

export interface DeviceAgent {
  /** Takes over what another device plays. */
  playHere: (id: string) => void;
  /** Hands over what this browser plays. */
  playOn: (id: string) => void;
  play: (id: string) => void;
  pause: (id: string) => void;
  setVolume: (id: string, volume: number) => void;
  rename: (id: string, name: string) => void;
}

export type DeviceNote =
  /** The browser needs a gesture before this window can take the music over from a device. */
  | { kind: 'tap'; id: string; name: string }
  /** A device needs a gesture before it can take the music over from this window. */
  | { kind: 'waits'; id: string; name: string }
  | { kind: 'failed'; name: string }
  /** The device that the music was handed to, or should come from, has disappeared. */
  | { kind: 'gone'; name: string };

interface DeviceNotes {
  agent: DeviceAgent | null;
  note: DeviceNote | null;
  /** The id of the device with which a hand-over is under way. */
  pending: string | null;
}

let state: DeviceNotes = { agent: null, note: null, pending: null };
const listeners = new Set<() => void>();

export function setDeviceNotes(change: Partial<DeviceNotes>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const getDeviceNotes = (): DeviceNotes => state;
export const useDeviceNotes = (): DeviceNotes => useSyncExternalStore(subscribe, getDeviceNotes);
