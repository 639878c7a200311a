// The open windows and devices of the account. This window is one of them while its event stream is open.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { desktop } from '../desktop.ts';
import { storedChoice } from '../stored-choice.ts';
import { clientName } from './client-name.ts';
import { request } from './client.ts';
import { OWN_DEVICE } from './device-news.ts';
import type { DeviceCommandIn, DeviceIn, DeviceList, HandOverIn, HandOverOut } from './routes.ts';

export type Device = DeviceList['items'][number];
type CommandOf<C> = C extends unknown ? Omit<C, 'from'> : never;

const chosenName = storedChoice<string>({
  name: 'device',
  key: 'tonearm.device',
  initial: '',
  read: (text) => text,
  write: (text) => text,
});
let guessedName = clientName();
desktop?.hostName?.().then(
  (name) => {
    guessedName = `Tonearm on ${name}`;
  },
  () => undefined, // the name of the browser stays
);
const MAX_NAME_LENGTH = 60;

/** Returns the name of this browser or app: the chosen one, or a guess. */
export const deviceName = (): string => (chosenName.get() || guessedName).slice(0, MAX_NAME_LENGTH);
export const renameDevice = (name: string): void => chosenName.set(name.trim().slice(0, MAX_NAME_LENGTH) || undefined);
export const onDeviceName = chosenName.onChange;

export const devicesQuery = queryOptions({
  queryKey: ['devices'] as const,
  queryFn: async () => withDistinctNames((await request('GET /devices')).items),
});

/** Numbers devices of the same name. */
function withDistinctNames(devices: readonly Device[]): Device[] {
  const counts = new Map<string, number>();
  return devices.map((device) => {
    const count = (counts.get(device.name) ?? 0) + 1;
    counts.set(device.name, count);
    return count === 1 ? device : { ...device, name: `${device.name} (${count})` };
  });
}

/** Returns the devices that player/device-agent.ts fetched last, this one included. */
export const useDevices = (): Device[] => useQuery({ ...devicesQuery, enabled: false }).data ?? [];
export const useOtherDevices = (): Device[] => useDevices().filter(({ id }) => id !== OWN_DEVICE);

export const reportDevice = (body: DeviceIn): Promise<void> =>
  request('PUT /devices/{device_id}', { path: { device_id: OWN_DEVICE }, body });
export const commandDevice = (to: string, command: CommandOf<DeviceCommandIn>, from = OWN_DEVICE): Promise<void> =>
  request('POST /devices/{device_id}/commands', { path: { device_id: to }, body: { ...command, from } });
export const handOverTo = (to: string, body: Omit<HandOverIn, 'from'>): Promise<void> =>
  request('PUT /devices/{device_id}/hand-over', { path: { device_id: to }, body: { ...body, from: OWN_DEVICE } });
export const fetchHandOver = (): Promise<HandOverOut> =>
  request('GET /devices/{device_id}/hand-over', { path: { device_id: OWN_DEVICE } });
