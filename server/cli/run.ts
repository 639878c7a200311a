// Runs the command of the command line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp, type App } from '../app.ts';
import { finishRestore } from '../backup/restore-state.ts';
import { loadConfig, type Config } from '../config/config.ts';
import { readJsonFile } from '../config/json-file.ts';
import { restrictUmask } from '../config/private-files.ts';
import { openSecretStore } from '../config/secret-store.ts';
import { withSecretFiles } from '../config/secret-files.ts';
import { addStoredSettings } from '../config/secrets.ts';
import { defaultDataDir } from '../config/settings.ts';
import { DATA_FOLDER } from '../data-folder.ts';
import { AppError, asKnownFault, messageOf } from '../errors.ts';
import { createLog, type Log } from '../log/log.ts';
import { FolderInUse, noteAddress } from '../db/data-lock.ts';
import { productPaths } from '../paths.ts';
import { assertNoFile } from '../runtime/folders.ts';
import { assertCanBegin } from './first-start.ts';
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
import { endOrphanedServer } from './orphaned-server.ts';
import { connectToShell, type ShellLink } from './shell-link.ts';
import { runMigrate } from './storage.ts';
import { runFolder } from './folders.ts';
import { runTrash } from './trash.ts';
import { runUser } from './users.ts';
import { runGarbage, runVerify } from './verify.ts';
import { getBackend } from '../storage/backends.ts';
import { SCAN_LOCAL_FOLDER } from '../scan/tasks.ts';

/**
 * Ctrl+C reaches the server twice if it was started by npm: from the terminal and from npm. A second signal within this
 * time is taken for the same Ctrl+C.
 */
const MIN_SIGNAL_GAP_MS = 1_000;
/** npm does not forward SIGHUP when it ends, and the shell between `npx` and this process does not forward SIGTERM. */
const STARTED_BY_NPM = ['start', 'npx'].includes(process.env['npm_lifecycle_event'] ?? '');
const PARENT_CHECK_INTERVAL_MS = 1_000;
/** Read before the server starts, because npm may end while a large database is migrated. */
const PARENT_PID = process.ppid;
/** Settings of options that are saved. */
const MUSIC_FOLDER_SETTINGS = ['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_IMPORT_MODE'];

/** npm sets variables for these options itself. */
const NPM_OPTIONS: OptionName[] = ['help', 'version'];

interface Invocation {
  argv: string[];
  env: NodeJS.ProcessEnv;
  /** The program's folder. */
  root: string;
  isBundled: boolean;
  version: string;
}

/** Runs one command. On an error, sets the exit code and prints one line. */
export async function runCommand(invocation: Invocation): Promise<void> {
  tolerateClosedOutput();
  const shell = connectToShell(invocation.env);
  try {
    restrictUmask();
    assertNoOptionTakenByNpm(invocation.env);
    const command = parseCommandLine(invocation.argv);
    if (command.name === 'help') return void process.stdout.write(helpText(command.topic));
    if (command.name === 'version') return void process.stdout.write(`${invocation.version}\n`);
    const completeInvocation = { ...invocation, env: withSecretFiles(invocation.env) };
    await executeCommand(command, completeInvocation, shell).catch((error: unknown) =>
      joinRunningServer(error, command),
    );
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    const sentence = asKnownFault(error)?.message ?? systemFault(error);
    if (sentence !== undefined) console.error(`tonearm: ${sentence.replace(/\.?$/, '.')}`);
    else console.error('tonearm: stopped by an unexpected error:', error);
    shell?.reportFailure(sentence ?? messageOf(error), portInUse(error));
    // a utility process does not exit by itself, and the desktop app loses messages that it has not read by then
    if (shell) setTimeout(() => process.exit(), 200);
  }
}

/**
 * Describes errors of the system and of SQLite, whose messages mostly name a path. Unexpected errors are shown with
 * their stack instead.
 */
function systemFault(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z0-9]+|SQLITE_\w+)$/.test(code) ? `The command failed (${messageOf(error)}).` : undefined;
}

const nameOfOption = (setting: string): string =>
  ({ LOCAL_MEDIA_IMPORT_PATH: '--import', LOCAL_MEDIA_IMPORT_MODE: '--index' })[setting] ??
  `--${setting.toLowerCase().replaceAll('_', '-')}`;

/** Throws for `npm start --open`: npm takes options before `--` for itself, and passes on only their values. */
function assertNoOptionTakenByNpm(env: NodeJS.ProcessEnv): void {
  if (env['npm_lifecycle_event'] !== 'start') return;
  const takenOption = [...optionsOf(COMMANDS.serve.forms[0]), ...GENERAL_OPTIONS].find(
    (option) => !NPM_OPTIONS.includes(option) && env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined,
  );
  if (takenOption !== undefined)
    throw new UsageError(
      `npm took --${takenOption} for itself. Put -- before the options: npm start -- --${takenOption} …`,
    );
}

/**
 * With --open, opens the server that already uses the data folder. Otherwise throws the error with that server's
 * address.
 */
async function joinRunningServer(error: unknown, command: Command): Promise<void> {
  const url = error instanceof FolderInUse ? await findRunningServer(error.folder) : undefined;
  if (!(error instanceof FolderInUse) || url === undefined) throw error;
  if (command.name !== 'serve' || !command.open) throw new FolderInUse(error.folder, { url, cause: error });
  const ignoredOptions = Object.entries(command.settings).flatMap(([name, value]) => {
    const isInEffect = name === 'DATA_DIR' || (name === 'PORT' && value === new URL(url).port);
    return isInEffect ? [] : [nameOfOption(name)];
  });
  const notice =
    ignoredOptions.length === 0
      ? ''
      : ` ${ignoredOptions.join(' and ')} had no effect: options apply only when the server starts.`;
  console.log(`Tonearm is already running on ${url}.${notice}`);
  await openBrowser(url);
}

async function executeCommand(command: Command, invocation: Invocation, shell: ShellLink | undefined): Promise<void> {
  const { env, version } = invocation;
  if (command.name === 'openapi') return printOpenApi(invocation);
  assertNoFile(dataDirOf(command, env), DATA_FOLDER);
  const isReplaced = command.name === 'restore' || command.name === 'import';
  const finishedRestore = isReplaced ? undefined : await finishRestore(dataDirOf(command, env), () => new Date());
  if (finishedRestore?.asideFolder !== undefined)
    console.log(`The library was restored; the previous one is in ${finishedRestore.asideFolder}`);
  if (finishedRestore?.isConfirmationVoid === true)
    console.log(
      'Accounts changed after the restore was accepted, so accounts, settings and folders stayed as they were here. ' +
        'Restore again to see what differs now.',
    );
  const config = withScanFolder(command, env);
  const paths = productPaths(invocation.root, invocation.isBundled);
  if (command.name === 'restore') return runRestore(await withSecrets(config), paths, command);
  if (command.name === 'import') return runImport(config, paths, command);
  await assertCanBegin(command, config);
  const log = openCommandLog(config, env, shell !== undefined);
  if (command.name === 'storage') return runMigrate(config, paths, log, command.to ?? '');
  if (command.name === 'rebuild') await rebuildDatabase(config, paths, log);
  if (command.name === 'serve') await endOrphanedServer(config.paths.data);
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

/** Prints the OpenAPI document. It is made by an app in a temporary folder, because only an app has routes. */
async function printOpenApi({ root, isBundled: bundled, version }: Invocation): Promise<void> {
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

/** Returns the configuration. `scan DIR` without a configured music folder uses DIR as the music folder. */
function withScanFolder(command: Command, env: NodeJS.ProcessEnv): Config {
  const config = configOf(command, env);
  const [dir] = command.args;
  if (command.name !== 'scan' || dir === undefined || config.settings.LOCAL_MEDIA_IMPORT_PATH !== undefined)
    return config;
  return configOf({ ...command, settings: { ...command.settings, LOCAL_MEDIA_IMPORT_PATH: resolve(dir) } }, env);
}

/**
 * Separates the options that will be saved from other variables: the music folder with its mode, and a port with
 * `--keep-port`. They count as values of settings.json, where they will be saved, unless the environment sets them.
 */
function splitRemembered({ settings, keepPort }: Command, allVariables: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv) {
  const fixedNames = new Set(Object.entries(env).flatMap(([name, value]) => (value ? name.toUpperCase() : [])));
  const names = [...MUSIC_FOLDER_SETTINGS, ...(keepPort ? ['PORT'] : [])].filter(
    (name) => name in settings && !fixedNames.has(name),
  );
  return {
    variables: { ...allVariables, ...Object.fromEntries(names.map((name) => [name, undefined])) },
    rememberedSettings: Object.fromEntries(names.map((name) => [name, settings[name]])),
  };
}

/**
 * Loads the configuration. settings.json is in the data folder, so DATA_DIR comes from the command line or environment.
 */
function configOf(command: Command, env: NodeJS.ProcessEnv): Config {
  const otherVariables = Object.fromEntries(
    Object.entries(env).filter(([name]) => !(name.toUpperCase() in command.settings)),
  );
  const { variables, rememberedSettings } = splitRemembered(command, { ...otherVariables, ...command.settings }, env);
  const dataDir = dataDirOf(command, env);
  const settingsFile = join(dataDir, 'settings.json');
  const file = readJsonFile(settingsFile);
  if (Object.keys(file).some((key) => key.toUpperCase() === 'DATA_DIR'))
    throw new AppError(
      'invalid',
      `DATA_DIR cannot be set in ${settingsFile}, which is in that folder. Use --data-dir.`,
    );
  const otherEntries = Object.entries(file).filter(([key]) => !(key.toUpperCase() in rememberedSettings));
  const config = loadConfig({ file: { ...Object.fromEntries(otherEntries), ...rememberedSettings }, env: variables });
  getBackend(config.settings.STORAGE_BACKEND); // an unknown backend throws here, before any file is opened
  return config;
}

/**
 * Adds the passphrase and the keys of the object store, which are usually read when a library is opened: a restore
 * opens none.
 */
async function withSecrets(config: Config): Promise<Config> {
  try {
    return await addStoredSettings(
      config,
      await openSecretStore({ file: config.paths.secretsFile, requestedPlace: 'keep', log: createLog('silent') }),
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
  exitOnUnexpectedError(log);
  const scansNow = command.scanAtStart && (await isMusicThere(app));
  if (scansNow) await rememberMusicFolder(app);
  const url = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  if (command.keepPort && app.config.origins.PORT === 'file')
    await app.settings.change({ PORT: app.config.settings.PORT });
  trySaveAddress(app.config.paths.data, url, log, shell);
  shell?.answer({
    stop: () => stop('shell'),
    issueTicket: app.auth.issueDesktopTicket,
    setupToken: () => (app.auth.isSetupRequired() ? app.auth.setupToken : null),
  });
  console.log(`Tonearm is listening on ${url}`);
  for (const address of app.sharing.state().addresses) console.log(`On your network: ${address.url}`);
  for (const line of describePlaces(app)) console.log(line);
  const setupUrl = app.auth.isSetupRequired() ? `${url}/setup?token=${app.auth.setupToken}` : undefined;
  // the desktop app requests the token when it needs it, and would write this output into its log
  if (setupUrl && !shell) console.log(`Setup token: ${app.auth.setupToken}\nCreate your account at ${setupUrl}`);
  if (process.stdout.isTTY) console.log('Press Ctrl+C to stop it.');
  showScans(app);
  if (scansNow) await app.jobs.enqueue(SCAN_LOCAL_FOLDER, {});
  if (command.open) await openBrowser(setupUrl ?? url);
}

/**
 * Returns whether there is a music folder to scan. Throws for a missing folder that was never scanned. A folder that
 * was scanned before may be on a disk that comes back later.
 */
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

/** Describes where the library and the music are. */
function describePlaces({ config, musicFolders }: App): string[] {
  const folders = musicFolders
    .list()
    .map(
      ({ path, mode }) =>
        `Music folder: ${path} (${mode === 'copy' ? 'new files are copied into the library' : 'files stay there'})`,
    );
  return [`Library: ${config.paths.data}`, ...folders];
}

/** Saves the address by which other commands find the server. If that fails, the server still runs. */
function trySaveAddress(dataDir: string, url: string, log: Log, shell: ShellLink | undefined): void {
  try {
    noteAddress(join(dataDir, 'tonearm.lock'), url, shell?.address);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the address of the server could not be saved in the data folder');
  }
}

/** Logs an uncaught error before it ends the process. */
function exitOnUnexpectedError(log: Log): void {
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'stopped by an unexpected error');
    process.exit(1);
  });
}

type StopSource = NodeJS.Signals | 'shell' | 'npm';

/**
 * Stops the server on signals. Running jobs go back into the queue, and a second signal exits at once. Returns the
 * function that stops the server.
 */
function stopOnSignals(app: App, log: Log): (source: StopSource) => void {
  let stoppingSince: number | undefined;
  const stop = (source: StopSource): void => {
    if (stoppingSince !== undefined) {
      // the desktop app or npm has ended during the stop, which is no second signal
      if (source === 'shell' || source === 'npm') return;
      if (performance.now() - stoppingSince < MIN_SIGNAL_GAP_MS) return;
      process.exit(1);
    }
    stoppingSince = performance.now();
    log.info({ asked: source }, 'stopping');
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
      if (process.ppid !== PARENT_PID) stop('npm');
    }, PARENT_CHECK_INTERVAL_MS).unref();
  }
  return stop;
}

/** Returns the port that another program uses, if the error says that the server cannot listen because of that. */
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
