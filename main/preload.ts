// Runs sandboxed before every page of ours and gives it the bridge: the functions of the channel map, the news, and
// nothing else of Electron.
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { BRIDGE, NEWS, type Bridge, type News } from './ipc.ts';

const asked = Object.fromEntries(
  Object.entries(BRIDGE).map(([name, channel]) => [name, (...args: unknown[]) => ipcRenderer.invoke(channel, ...args)]),
) as Omit<Bridge, 'onNews'>;

const onNews: Bridge['onNews'] = (listener) => {
  // never the event: through it a page would reach the rest
  const hear = (_event: IpcRendererEvent, news: News): void => listener(news);
  ipcRenderer.on(NEWS, hear);
  return () => void ipcRenderer.off(NEWS, hear);
};

contextBridge.exposeInMainWorld('tonearm', { ...asked, onNews } satisfies Bridge);
