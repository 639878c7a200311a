// What the event stream says about devices, for device-agent.ts, which is loaded after the window has opened.
import type { EventMap } from '../../server/wire.ts';
import { randomId } from './random-id.ts';

/** The id of this window as a device, until it is closed or loaded again. */
export const OWN_DEVICE = randomId();

export type DeviceCommand = EventMap['device_command'];
/** The stream was opened or lost, a device has changed, or sent a command. */
type DeviceNews =
  | { kind: 'open' }
  | { kind: 'lost' }
  | { kind: 'changed' }
  | { kind: 'command'; command: DeviceCommand };
const listeners = new Set<(news: DeviceNews) => void>();
let isStreamOpen = false;

export function noteDevices(news: DeviceNews): void {
  if (news.kind === 'open' || news.kind === 'lost') isStreamOpen = news.kind === 'open';
  for (const listener of listeners) listener(news);
}

/** Calls back with the news from now on, and at once if the stream is open already. */
export function onDevices(listener: (news: DeviceNews) => void): () => void {
  listeners.add(listener);
  if (isStreamOpen) listener({ kind: 'open' });
  return () => void listeners.delete(listener);
}
