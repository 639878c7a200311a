// Runs sandboxed before every page of the app and exposes the bridge: the channel functions and the messages, and
// nothing else of Electron.
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { BRIDGE, PAGE_MESSAGE, type Bridge, type PageMessage } from './ipc.ts';

const channels = Object.fromEntries(
  Object.entries(BRIDGE).map(([name, channel]) => [name, (...args: unknown[]) => ipcRenderer.invoke(channel, ...args)]),
) as Omit<Bridge, 'onMessage'>;

const onMessage: Bridge['onMessage'] = (listener) => {
  // passes only the message on: the event would give the page access to ipcRenderer
  const forward = (_event: IpcRendererEvent, message: PageMessage): void => listener(message);
  ipcRenderer.on(PAGE_MESSAGE, forward);
  return () => void ipcRenderer.off(PAGE_MESSAGE, forward);
};

contextBridge.exposeInMainWorld('tonearm', { ...channels, onMessage } satisfies Bridge);
