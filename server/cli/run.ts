// Runs the command of the command line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp, type App } from '../app.ts';
import { finishRestore } from '../backup/restore-state.ts';
import { loadConfig, type Config } from '../config/config.ts';
import { readJsonFile } from '../config/json-file.ts';
import { keepToOwnAccount } from '../config/private-files.ts';
import { openSecretStore } from '../config/secret-store.ts';
import { withStoredSettings } from '../config/secrets.ts';
import { defaultDataDir } from '../config/settings.ts';
import { DATA_FOLDER } from '../data-folder.ts';
import { AppError, asKnownFault, messageOf } from '../errors.ts';
import { createLog, type Log } from '../log/log.ts';
import { FolderInUse, noteAddress } from '../db/data-lock.ts';
import { productPaths } from '../paths.ts';
import { assertNoFile } from '../runtime/folders.ts';
import { assertCanBegin } from './before-first-start.ts';
import { parseCommandLine, type Command } from './command-line.ts';
import { COMMANDS, GENERAL_OPTIONS, optionsOf, type OptionName } from './commands.ts';
import { openCommandLog } from './command-log.ts';
import { helpText } from './help.ts';
import { findRunningServer } from './running-server.ts';
import { tolerateClosedOutput } from './closed-output.ts';
import { UsageError } from './usage-error.ts';
import { runBackup, runExport } from './backup.ts';
import { runEnrich } from './enrich.ts';
import { showScans } from './scan-report.ts';
import { fillFromMusicFolder, rebuildDatabase } from './rebuild.ts';
import { runImport, runRestore } from './restore.ts';
import { rememberMusicFolder, runScan } from './scan.ts';
import { endLeftBehind } from './left-behind.ts';
import { connectToShell, type ShellLink } from './shell-link.ts';
import { runMigrate } from './storage.ts';
import { runFolder } from './folders.ts';
import { runTrash } from './trash.ts';
import { runUser } from './users.ts';
import { runGarbage, runVerify } from './verify.ts';
import { getBackend } from '../storage/backends.ts';
import { SCAN_LOCAL_FOLDER } from '../scan/tasks.ts';

/** Ctrl+C is sent by the terminal, and again by npm, which gets it too. */
const SAME_SIGNAL_MS = 1_000;
/** npm does not forward SIGHUP when it ends, and the shell between `npx` and us does not forward SIGTERM. */
const STARTED_BY_NPM = ['start', 'npx'].includes(process.env['npm_lifecycle_event'] ?? '');
const PARENT_EVERY_MS = 1_000;
/** Read before the server starts: npm may end while a large database is brought up to date. */
const PARENT = process.ppid;
/** Set by options, and kept. */
const OF_MUSIC_FOLDER = ['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_IMPORT_MODE'];

/** npm sets these itself. */
const KNOWN_TO_NPM: OptionName[] = ['help', 'version'];

interface Invocation {
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** Folder of the program. */
  root: string;
  bundled: boolean;
  version: string;
}

/** Runs one command. On an error, sets the exit code and prints one line. */
export async function runCommand(invocation: Invocation): Promise<void> {
  tolerateClosedOutput();
  const shell = connectToShell(invocation.env);
  try {
    keepToOwnAccount();
    assertNotTakenByNpm(invocation.env);
    const command = parseCommandLine(invocation.argv);
    if (command.name === 'help') return void process.stdout.write(helpText(command.topic));
    if (command.name === 'version') return void process.stdout.write(`${invocation.version}\n`);
    await run(command, invocation, shell).catch((error: unknown) => joinRunningServer(error, command));
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    const sentence = asKnownFault(error)?.message ?? systemFault(error);
    if (sentence !== undefined) console.error(`tonearm: ${sentence.replace(/\.?$/, '.')}`);
    else console.error('tonearm: stopped by an unexpected error:', error);
    shell?.failed(sentence ?? messageOf(error), portInUse(error));
    // a utility process does not end by itself, and the shell does not get what is unread at its end
    if (shell) setTimeout(() => process.exit(), 200);
  }
}

/** Errors of the system and of SQLite say what failed, mostly with the path; stacks are for what nobody expected. */
function systemFault(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z0-9]+|SQLITE_\w+)$/.test(code) ? `It could not be done (${messageOf(error)}).` : undefined;
}

const nameOfOption = (setting: string): string =>
  ({ LOCAL_MEDIA_IMPORT_PATH: '--import', LOCAL_MEDIA_IMPORT_MODE: '--index' })[setting] ??
  `--${setting.toLowerCase().replaceAll('_', '-')}`;

/** `npm start --open`: npm keeps options that come before `--`, and gives only their values on. */
function assertNotTakenByNpm(env: NodeJS.ProcessEnv): void {
  if (env['npm_lifecycle_event'] !== 'start') return;
  const taken = [...optionsOf(COMMANDS.serve.forms[0]), ...GENERAL_OPTIONS].find(
    (option) => !KNOWN_TO_NPM.includes(option) && env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined,
  );
  if (taken !== undefined)
    throw new UsageError(`npm took --${taken} for itself. Put -- before the options: npm start -- --${taken} …`);
}

/** With --open, a server that has the data folder is what was asked for. Throws the error, with its address. */
async function joinRunningServer(error: unknown, command: Command): Promise<void> {
  const url = error instanceof FolderInUse ? await findRunningServer(error.folder) : undefined;
  if (!(error instanceof FolderInUse) || url === undefined) throw error;
  if (command.name !== 'serve' || !command.open) throw new FolderInUse(error.folder, { url, cause: error });
  const ignored = Object.entries(command.settings).flatMap(([name, value]) => {
    const isAsWished = name === 'DATA_DIR' || (name === 'PORT' && value === new URL(url).port);
    return isAsWished ? [] : [nameOfOption(name)];
  });
  const said =
    ignored.length === 0 ? '' : ` It goes on as it is: ${ignored.join(' and ')} had to be given at its start.`;
  console.log(`Tonearm is running already, on ${url}.${said}`);
  await openBrowser(url);
}

async function run(command: Command, invocation: Invocation, shell: ShellLink | undefined): Promise<void> {
  const { env, version } = invocation;
  if (command.name === 'openapi') return printOpenApi(invocation);
  assertNoFile(dataDirOf(command, env), DATA_FOLDER);
  const isReplaced = command.name === 'restore' || command.name === 'import';
  const restored = isReplaced ? undefined : await finishRestore(dataDirOf(command, env), () => new Date());
  if (restored?.aside !== undefined) console.log(`The library was restored; the previous one is in ${restored.aside}`);
  if (restored?.isConfirmationVoid === true)
    console.log(
      'Accounts changed after the restore was accepted, so accounts, settings and folders stayed as they were here. ' +
        'Restore again to see what differs now.',
    );
  const config = withScanFolder(command, env);
  const paths = productPaths(invocation.root, invocation.bundled);
  if (command.name === 'restore') return runRestore(await withSecrets(config), paths, command);
  if (command.name === 'import') return runImport(config, paths, command);
  await assertCanBegin(command, config);
  const log = openCommandLog(config, env, shell !== undefined);
  if (command.name === 'storage') return runMigrate(config, paths, log, command.to ?? '');
  if (command.name === 'rebuild') await rebuildDatabase(config, paths, log);
  if (command.name === 'serve') await endLeftBehind(config.paths.data);
  const app = await createApp({
    config,
    paths,
    version,
    log,
    shell: shell?.address,
    isNewLibrary: command.isNewLibrary === true,
    work: command.name === 'gc' || !command.dryRun,
  });
  if (command.name === 'serve') return serve(app, command, log, shell);
  try {
    await runOnLibrary(app, command);
  } finally {
    await app.close();
  }
}

async function runOnLibrary(app: App, command: Command): Promise<void> {
  const { name, args, dryRun } = command;
  if (name === 'scan') await runScan(app, { dir: args[0], dryRun, reread: command.reread === true });
  else if (name === 'rebuild') await fillFromMusicFolder(app);
  else if (name === 'verify') await runVerify(app);
  else if (name === 'gc') await runGarbage(app, dryRun, command.earlierLibrary === true);
  else if (name === 'backup') await runBackup(app, command);
  else if (name === 'export') await runExport(app, resolve(args[0] ?? '.'));
  else if (name === 'enrich') await runEnrich(app, command.scope);
  else if (name === 'trash') await runTrash(app, args);
  else if (name === 'folder') await runFolder(app, args);
  else await runUser(app, command);
}

/** Routes exist only in an app, so this creates one in a temporary folder. */
async function printOpenApi({ root, bundled, version }: Invocation): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-openapi-'));
  try {
    const app = await createApp({
      config: loadConfig({ file: {}, env: { DATA_DIR: dir } }),
      paths: productPaths(root, bundled),
      version,
      log: createLog('silent'),
      work: false,
    });
    process.stdout.write(`${JSON.stringify(app.openApi(), null, 2)}\n`);
    await app.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** `scan DIR` without a configured music folder takes DIR as the music folder. */
function withScanFolder(command: Command, env: NodeJS.ProcessEnv): Config {
  const config = configOf(command, env);
  const [dir] = command.args;
  if (command.name !== 'scan' || dir === undefined || config.settings.LOCAL_MEDIA_IMPORT_PATH !== undefined)
    return config;
  return configOf({ ...command, settings: { ...command.settings, LOCAL_MEDIA_IMPORT_PATH: resolve(dir) } }, env);
}

/**
 * A music folder and its mode from the command line, and a port that is kept, count as those of settings.json, where
 * they will be, unless the environment fixes them.
 */
function withRemembered({ settings, keepPort }: Command, layered: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv) {
  const fixed = new Set(Object.entries(env).flatMap(([name, value]) => (value ? name.toUpperCase() : [])));
  const names = [...OF_MUSIC_FOLDER, ...(keepPort ? ['PORT'] : [])].filter(
    (name) => name in settings && !fixed.has(name),
  );
  return {
    layered: { ...layered, ...Object.fromEntries(names.map((name) => [name, undefined])) },
    remembered: Object.fromEntries(names.map((name) => [name, settings[name]])),
  };
}

/** settings.json is in the data folder, so DATA_DIR can only come from the command line or the environment. */
function configOf(command: Command, env: NodeJS.ProcessEnv): Config {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !(name.toUpperCase() in command.settings)));
  const { layered, remembered } = withRemembered(command, { ...rest, ...command.settings }, env);
  const dataDir = dataDirOf(command, env);
  const settingsFile = join(dataDir, 'settings.json');
  const file = readJsonFile(settingsFile);
  if (Object.keys(file).some((key) => key.toUpperCase() === 'DATA_DIR'))
    throw new AppError(
      'invalid',
      `DATA_DIR cannot be set in ${settingsFile}, which is in that folder. Use --data-dir.`,
    );
  const kept = Object.entries(file).filter(([key]) => !(key.toUpperCase() in remembered));
  const config = loadConfig({ file: { ...Object.fromEntries(kept), ...remembered }, env: layered });
  getBackend(config.settings.STORAGE_BACKEND); // throws for an unknown one, before anything is opened
  return config;
}

/** A restore opens no library, so the passphrase and the keys of the object store are read here, if there are any. */
async function withSecrets(config: Config): Promise<Config> {
  try {
    return await withStoredSettings(
      config,
      await openSecretStore({ file: config.paths.secretsFile, wish: 'keep', log: createLog('silent') }),
    );
  } catch (error) {
    console.error(`tonearm: the stored passphrase and keys cannot be read: ${messageOf(error)}`);
    return config;
  }
}

const dataDirOf = (command: Command, env: NodeJS.ProcessEnv): string =>
  Object.entries({ ...env, ...command.settings }).findLast(
    ([name, value]) => name.toUpperCase() === 'DATA_DIR' && value,
  )?.[1] ?? defaultDataDir();

async function serve(app: App, command: Command, log: Log, shell: ShellLink | undefined): Promise<void> {
  const stop = stopOnSignals(app, log);
  dieOnUnexpected(log);
  const scansNow = command.scanAtStart && (await isMusicThere(app));
  if (scansNow) await rememberMusicFolder(app);
  const url = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  if (command.keepPort && app.config.origins.PORT === 'file')
    await app.settings.change({ PORT: app.config.settings.PORT });
  tryNoteAddress(app.config.paths.data, url, log, shell);
  shell?.answer({
    stop: () => stop('shell'),
    issueTicket: app.auth.issueDesktopTicket,
    setupToken: () => (app.auth.isSetupRequired() ? app.auth.setupToken : null),
  });
  console.log(`Tonearm is listening on ${url}`);
  for (const address of app.sharing.state().addresses) console.log(`On your network: ${address.url}`);
  for (const line of describePlaces(app)) console.log(line);
  const setupUrl = app.auth.isSetupRequired() ? `${url}/setup?token=${app.auth.setupToken}` : undefined;
  // the app asks for the token when it needs it, and writes what is printed into its log
  if (setupUrl && !shell) console.log(`Setup token: ${app.auth.setupToken}\nCreate your account at ${setupUrl}`);
  if (process.stdout.isTTY) console.log('Ctrl+C stops it.');
  showScans(app);
  if (scansNow) await app.jobs.enqueue(SCAN_LOCAL_FOLDER, {});
  if (command.open) await openBrowser(setupUrl ?? url);
}

/** Throws for a folder that was never scanned. One that was may be on a disk that is away: it is scanned later. */
async function isMusicThere(app: App): Promise<boolean> {
  try {
    await app.scan.assertFolder();
    return true;
  } catch (error) {
    const wasScanned = app.sources.scannedFolder() === app.config.settings.LOCAL_MEDIA_IMPORT_PATH;
    if (!wasScanned || !(error instanceof AppError)) throw error;
    console.log(`${error.message} The library is served without it, and it is scanned when it is back.`);
    return false;
  }
}

/** Where the library and the music are. */
function describePlaces({ config, musicFolders }: App): string[] {
  const folders = musicFolders
    .list()
    .map(
      ({ path, mode }) =>
        `Music folder: ${path} (${mode === 'copy' ? 'new files are copied into the library' : 'files stay there'})`,
    );
  return [`Library: ${config.paths.data}`, ...folders];
}

/** Others find the server by it; it also runs without being found. */
function tryNoteAddress(dataDir: string, url: string, log: Log, shell: ShellLink | undefined): void {
  try {
    noteAddress(join(dataDir, 'tonearm.lock'), url, shell?.address);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the address of the server could not be noted in the data folder');
  }
}

/** What is not caught anywhere ends the process, but first goes into the log. */
function dieOnUnexpected(log: Log): void {
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exit(1);
  });
}

type Asker = NodeJS.Signals | 'shell' | 'npm';

/** Running jobs go back into the queue for the next start. A second signal exits at once. Returns the same function. */
function stopOnSignals(app: App, log: Log): (asked: Asker) => void {
  let stoppingSince: number | undefined;
  const stop = (asked: Asker): void => {
    if (stoppingSince !== undefined) {
      if (asked === 'shell' || asked === 'npm') return; // whoever asked has ended since
      if (performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
      process.exit(1);
    }
    stoppingSince = performance.now();
    log.info({ asked }, 'stopping');
    app.close().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  if (STARTED_BY_NPM) {
    setInterval(() => {
      if (process.ppid !== PARENT) stop('npm');
    }, PARENT_EVERY_MS).unref();
  }
  return stop;
}

/** The port that another program uses, when that is why the server cannot listen. */
function portInUse(error: unknown): number | undefined {
  const cause =
    error instanceof AppError ? (error.cause as (NodeJS.ErrnoException & { port?: number }) | undefined) : undefined;
  return cause?.code === 'EADDRINUSE' ? cause.port : undefined;
}

async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    await open(url);
  } catch (error) {
    console.log(`No browser could be opened (${messageOf(error)}): open the address above yourself.`);
  }
}
