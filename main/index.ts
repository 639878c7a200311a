// Entry of the desktop app.
import { join } from 'node:path';
import { app } from 'electron';
import { systemClock } from './clock.ts';
import { startDesktop } from './desktop.ts';
import { hasUpdateFeed } from './updater.ts';
import { launchServer } from './launch-server.ts';

const root = app.getAppPath();
const { isPackaged } = app;

startDesktop({
  preload: join(import.meta.dirname, 'preload.cjs'),
  icons: join(root, 'resources', 'tray'),
  launch: ({ args, echo }) =>
    launchServer({
      root,
      isPackaged,
      args,
      echo(chunk) {
        echo(chunk);
        if (!isPackaged) process.stdout.write(chunk);
      },
    }),
  clock: systemClock,
  hasFeed: isPackaged && hasUpdateFeed(process.resourcesPath),
  faults: process,
});
