// Runs sandboxed before every page of ours and gives it the bridge: the functions of the channel map and nothing else of Electron.
import { contextBridge, ipcRenderer } from 'electron';
import { BRIDGE, type Bridge } from './ipc.ts';

const bridge = Object.fromEntries(
  Object.entries(BRIDGE).map(([name, channel]) => [name, (...args: unknown[]) => ipcRenderer.invoke(channel, ...args)]),
) as Bridge;

contextBridge.exposeInMainWorld('tonearm', bridge);
