// Handlers of the IPC channels. Every call's sender and arguments are checked here.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { app, BrowserWindow, dialog, ipcMain, shell, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { z } from 'zod';
import { SHORTCUT_NAMES, type Channel, type Channels, type PlayerReport } from './ipc.ts';
import type { ShellChange, ShellSettings } from './ipc.ts';
import { Accelerator } from './global-shortcuts.ts';

interface AnswerDeps {
  /** Returns whether a URL is a page of the app's own server. */
  isOwnPage(url: string): boolean;
  setupToken(): Promise<string | undefined>;
  requestTicket(): Promise<string | undefined>;
  restartServer(): Promise<void>;
  settings: { get(): ShellSettings; change(change: ShellChange): ShellSettings };
  onLanguage(language: string): void;
  onReport(page: WebContents, report: PlayerReport): void;
  /** Returns the path of a track's file on this computer. */
  fileOf(trackId: number): Promise<string | undefined>;
}

type ChannelHandler<C extends Channel> = (
  asker: WebContents,
  args: unknown[],
) => ReturnType<Channels[C]> | Promise<ReturnType<Channels[C]>>;

const FolderPath = z
  .string()
  .max(4_096)
  .refine((path) => isAbsolute(path) && !path.includes('\0'));
const Change = z
  .strictObject({
    keepRunning: z.boolean(),
    mediaKeys: z.boolean(),
    shortcuts: z.record(z.enum(SHORTCUT_NAMES), Accelerator),
    playerOnTop: z.boolean(),
    notifyTracks: z.boolean(),
    lookForUpdates: z.boolean(),
    openAtLogin: z.boolean(),
  })
  .partial()
  .refine((change) => !Object.values(change).includes(undefined)) as z.ZodType<ShellChange>;
const Name = z.string().max(1_000).nullable();
const Report = z.strictObject({
  status: z.enum(['idle', 'loading', 'playing', 'paused', 'failed']),
  title: Name,
  artist: Name,
  album: z.strictObject({ id: z.int().positive(), title: z.string().max(1_000) }).nullable(),
  cover: z
    .string()
    .max(20_000)
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/)
    .nullable(),
  isLiked: z.boolean().nullable(),
  isSleeping: z.boolean(),
});
const LanguageTag = z.string().regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/);

export function answerChannels({
  isOwnPage,
  setupToken,
  requestTicket,
  restartServer,
  settings,
  onLanguage,
  onReport,
  fileOf,
}: AnswerDeps): void {
  const answers: { [C in Channel]: ChannelHandler<C> } = {
    'app:version': answer(z.tuple([]), () => app.getVersion()),
    'app:host-name': answer(z.tuple([]), () => hostname()),
    'dialog:choose-folder': answer(z.tuple([FolderPath.optional()]), chooseFolder),
    'setup:token': answer(z.tuple([]), async () => (await setupToken()) ?? null),
    'auth:ticket': answer(z.tuple([]), async () => (await requestTicket()) ?? null),
    'server:restart': answer(z.tuple([]), () => restartServer()),
    'shell:settings': answer(z.tuple([]), () => settings.get()),
    'shell:change': answer(z.tuple([Change]), (_asker, change) => settings.change(change)),
    'shell:language': answer(z.tuple([LanguageTag]), (_asker, language) => onLanguage(language)),
    'file:show': answer(z.tuple([z.int().positive()]), async (_asker, trackId) => showFile(await fileOf(trackId))),
    'player:report': answer(z.tuple([Report]), onReport),
  };
  for (const [channel, run] of Object.entries(answers)) {
    ipcMain.handle(channel, (event, ...args: unknown[]) => {
      if (!isOurPage(event, isOwnPage)) throw new Error(`${channel} is not for this page.`);
      return run(event.sender, args);
    });
  }
}

function answer<Args extends unknown[], Result>(
  schema: z.ZodType<Args>,
  run: (asker: WebContents, ...args: Args) => Result,
) {
  return (asker: WebContents, args: unknown[]): Result => {
    const parsedArgs = schema.safeParse(args);
    if (!parsedArgs.success)
      throw new TypeError(`The arguments of this channel are not valid: ${z.prettifyError(parsedArgs.error)}`);
    return run(asker, ...parsedArgs.data);
  };
}

/** Returns whether the sender is the main frame of one of the app's pages. A closed frame is null and is rejected. */
function isOurPage({ sender, senderFrame }: IpcMainInvokeEvent, isOwnPage: AnswerDeps['isOwnPage']): boolean {
  return senderFrame !== null && senderFrame === sender.mainFrame && isOwnPage(senderFrame.url);
}

async function chooseFolder(asker: WebContents, startIn?: string): Promise<string | null> {
  const window = BrowserWindow.fromWebContents(asker);
  const options: Electron.OpenDialogOptions = {
    properties: ['openDirectory', 'createDirectory'],
    ...(startIn !== undefined && { defaultPath: startIn }),
  };
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}

/** Shows the file in its folder without opening it; returns false if the file does not exist. */
function showFile(path: string | undefined): boolean {
  if (path === undefined || !existsSync(path)) return false;
  shell.showItemInFolder(path);
  return true;
}
