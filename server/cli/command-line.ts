// Parses the command line: the command, its arguments, and the settings that options set.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SETTINGS, SETTING_NAMES } from '../config/settings.ts';
import { ACCOUNT_LIMITS, RIGHTS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { BACKENDS, BACKUP_STORES, findBackend } from '../storage/backends.ts';

export interface Command {
  name:
    | 'serve'
    | 'scan'
    | 'enrich'
    | 'user'
    | 'backup'
    | 'restore'
    | 'export'
    | 'import'
    | 'verify'
    | 'gc'
    | 'storage'
    | 'trash'
    | 'folder'
    | 'rebuild'
    | 'openapi'
    | 'help'
    | 'version';
  args: string[];
  /** Settings from options; they override the environment. */
  settings: Record<string, string>;
  open: boolean;
  /** `--import` or `--index`: scan at the start. */
  scanAtStart: boolean;
  /** `--keep-port`: the port of `--port` is kept in the settings. */
  keepPort: boolean;
  superuser: boolean;
  dryRun: boolean;
  /** Tracks for `enrich`. */
  scope: 'pending' | 'failed' | 'all';
  to?: string;
  from?: string;
  snapshot?: string;
  music?: string;
  replace?: boolean;
  skipDamaged?: boolean;
  /** `--accept-settings`. */
  acceptSettings?: boolean;
  /** `--yes`. */
  isConfirmed?: boolean;
  /** `--read`: percent of the contents of a backup. */
  read?: number;
  /** `--new-library`. */
  isNewLibrary?: boolean;
  /** `--earlier-library`. */
  earlierLibrary?: boolean;
}

const OPTIONS = {
  'data-dir': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'keep-port': { type: 'boolean' },
  import: { type: 'string' },
  index: { type: 'boolean' },
  'log-level': { type: 'string' },
  open: { type: 'boolean' },
  superuser: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  all: { type: 'boolean' },
  failed: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  snapshot: { type: 'string' },
  music: { type: 'string' },
  replace: { type: 'boolean' },
  'skip-damaged': { type: 'boolean' },
  'accept-settings': { type: 'boolean' },
  yes: { type: 'boolean' },
  read: { type: 'string' },
  'new-library': { type: 'boolean' },
  'earlier-library': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const SETTING_OF = { 'data-dir': 'DATA_DIR', host: 'HOST', port: 'PORT', 'log-level': 'LOG_LEVEL' } as const;
const COMMANDS = [
  'serve',
  'scan',
  'enrich',
  'user',
  'backup',
  'restore',
  'export',
  'import',
  'verify',
  'gc',
  'storage',
  'trash',
  'folder',
  'rebuild',
  'openapi',
] as const;
/** The commands of options that not all commands have. */
const ONLY_OF: Record<string, string[]> = {
  to: ['backup', 'storage'],
  from: ['restore'],
  snapshot: ['restore'],
  music: ['restore'],
  replace: ['restore', 'import'],
  'skip-damaged': ['restore', 'import'],
  'accept-settings': ['restore'],
  yes: ['import'],
  read: ['backup'],
  'new-library': ['serve', 'scan', 'user'],
  'earlier-library': ['gc'],
  index: ['serve', 'scan', 'rebuild'],
};
/** The most arguments of a command. */
const MAX_ARGS = {
  serve: 0,
  scan: 1,
  enrich: 0,
  user: 2,
  backup: 1,
  restore: 0,
  export: 1,
  import: 1,
  verify: 0,
  gc: 0,
  storage: 1,
  trash: Infinity,
  folder: Infinity,
  rebuild: 0,
  openapi: 0,
  help: Infinity,
  version: Infinity,
} as const;

const BACKUP_VERBS = new Set(['check', 'unlock']);

/** Of `user`: what comes after the name is WHAT=VALUE, or the name of an app password. */
const TAKE_WORDS = new Set(['add', 'set', 'revoke']);

/** Throws `bad_request` with a message that names what is wrong. */
export function parseCommandLine(argv: string[]): Command {
  const { values, positionals } = parse(argv);
  const [word = 'serve', ...args] = positionals;
  const name = values.help ? 'help' : values.version ? 'version' : COMMANDS.find((command) => command === word);
  if (!name) throw new AppError('bad_request', `There is no command "${word}". Run with --help for the list.`);
  const unexpected =
    name === 'user' && TAKE_WORDS.has(args[0] ?? '')
      ? args.slice(MAX_ARGS.user).find((given) => args[0] !== 'revoke' && !given.includes('='))
      : args[MAX_ARGS[name]];
  if (unexpected !== undefined)
    throw new AppError('bad_request', `Unexpected argument "${unexpected}". Names with spaces need quotes.`);

  const settings: Record<string, string> = {};
  for (const [option, setting] of Object.entries(SETTING_OF)) {
    const value = values[option as keyof typeof SETTING_OF];
    if (value !== undefined) settings[setting] = notEmpty(value, `--${option}`);
  }
  if (values.import !== undefined) settings['LOCAL_MEDIA_IMPORT_PATH'] = resolve(notEmpty(values.import, '--import'));
  if (values.index) settings['LOCAL_MEDIA_IMPORT_MODE'] = 'reference';
  if (name === 'scan' && args[0] !== undefined) notEmpty(args[0], 'scan');
  if (values['dry-run'] && name !== 'scan' && name !== 'gc' && name !== 'help' && name !== 'version')
    throw new AppError('bad_request', `--dry-run is an option of scan and gc, not of ${name}.`);
  if ((values.all || values.failed) && name !== 'enrich' && name !== 'help' && name !== 'version')
    throw new AppError('bad_request', `--${values.all ? 'all' : 'failed'} is an option of enrich, not of ${name}.`);
  if (values.all && values.failed) throw new AppError('bad_request', '--all includes --failed; use only one of them.');
  for (const [option, commands] of Object.entries(ONLY_OF)) {
    const value = values[option as keyof typeof values];
    if (typeof value === 'string') notEmpty(value, `--${option}`);
    if (value !== undefined && !commands.includes(name) && name !== 'help' && name !== 'version')
      throw new AppError('bad_request', `--${option} is an option of ${commands.join(' and ')}, not of ${name}.`);
  }
  if (name === 'storage' && (args[0] !== 'migrate' || !findBackend(values.to ?? '')))
    throw new AppError(
      'bad_request',
      `Say where to move the library: storage migrate --to ${STORAGES.join(', or --to ')}.`,
    );
  if (name === 'backup' && args[0] !== undefined && !BACKUP_VERBS.has(args[0]))
    throw new AppError('bad_request', `There is no "backup ${args[0]}"; there are backup check and backup unlock.`);
  if (values.read !== undefined && name === 'backup' && args[0] !== 'check')
    throw new AppError('bad_request', '--read is an option of backup check.');
  if (name === 'restore' && values.from === undefined)
    throw new AppError('bad_request', `Say where the backup is: restore --from ${PLACES.join(', or --from ')}.`);
  if ((name === 'export' || name === 'import') && args[0] === undefined)
    throw new AppError(
      'bad_request',
      name === 'export' ? 'Say where to export to: export DIR.' : 'Say where the export is: import DIR.',
    );
  if ((name === 'export' || name === 'import') && args[0] !== undefined) notEmpty(args[0], name);
  const { to, from, snapshot, music, replace, 'skip-damaged': skipDamaged, 'new-library': isNewLibrary } = values;
  const backup = {
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    ...(snapshot !== undefined && { snapshot }),
    ...(music !== undefined && { music }),
    ...(replace === true && { replace }),
    ...(skipDamaged === true && { skipDamaged }),
    ...(values['accept-settings'] === true && { acceptSettings: true }),
    ...(values.yes === true && { isConfirmed: true }),
    ...(values.read !== undefined && { read: parsePercent(values.read) }),
    ...(isNewLibrary === true && { isNewLibrary }),
    ...(values['earlier-library'] === true && { earlierLibrary: true }),
  };
  const scope = values.all ? 'all' : values.failed ? 'failed' : 'pending';
  return {
    name,
    args,
    settings,
    scope,
    open: values.open === true,
    scanAtStart: values.import !== undefined || values.index === true,
    keepPort: values['keep-port'] === true,
    superuser: values.superuser === true,
    dryRun: values['dry-run'] === true,
    ...backup,
  };
}

/** `5%` and `5` are the same. */
function parsePercent(text: string): number {
  const percent = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new AppError('bad_request', `--read takes a part of the contents, from 0% to 100%, not "${text}".`);
}

/** An empty value is mostly an unset shell variable; as a path it would be the working directory. */
function notEmpty(value: string, where: string): string {
  if (value.trim() === '') throw new AppError('bad_request', `The value after ${where} is empty.`);
  return value;
}

function parse(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (cause) {
    throw new AppError(
      'bad_request',
      `${cause instanceof Error ? cause.message.split(/\.?\n|\. /)[0] : String(cause)}. Run with --help for ` +
        'the list of options.',
      { cause },
    );
  }
}

const RIGHT_NAMES = Object.values(RIGHTS).map(({ name }) => name);
const LIMIT_NAMES = Object.values(ACCOUNT_LIMITS).map(({ name }) => name);
const STORAGES = BACKENDS.map(({ name }) => name);
/** Where a backup can be. */
const PLACES = ['DIR', ...BACKUP_STORES];

const USAGE = `Tonearm keeps your music library and serves it to your browser and your phones.

  tonearm [command] [options]    (npx tonearm …, in the folder with the sources)

Commands
  serve                      the server and its web interface (default)
  scan [DIR] [--dry-run]     scan the music folder, or DIR in it, once and without a running server;
                             --dry-run only prints what would change
  enrich [--all|--failed]    identify new tracks, all tracks, or those that failed
  user list                  list accounts
  user add NAME [--superuser] [WHAT=VALUE …]
                             create an account; asks for the password; WHAT as in user set
  user passwd NAME           set a password
  user promote NAME          make an account a superuser
  user set NAME WHAT=VALUE …
                             what an account may do (${RIGHT_NAMES.join(', ')}: yes or no)
                             and its limits (${LIMIT_NAMES.join(', ')}: a number or none)
  user access NAME           where an account is signed in, and its app passwords
  user sign-out NAME         end all sessions of an account
  user revoke NAME APP-PASSWORD   revoke an app password
  ${`backup [--to ${PLACES.join('|')}]`.padEnd(26)} back up the library to the configured place, or to another
  backup check [--read 5%]   check that the backup can be restored, read a part of its contents (or 100%),
                             and mend it from the library
  backup unlock              end the claim of a server that was backing up and is gone
  restore --from ${PLACES.join('|')} [--snapshot ID] [--replace] [--music DIR] [--skip-damaged]
          [--accept-settings]
                             restore a backup into the data folder; --replace moves an existing library
                             aside, --music is where copied files of a music folder go,
                             --accept-settings also takes accounts, programs, folders and addresses that
                             differ from those here
  export DIR                 export audio with readable file names, playlists and data
  import DIR [--replace] [--skip-damaged] [--yes]
                             make the library of an export in the data folder; --replace moves an
                             existing library aside, --yes does not ask about the people in it
  verify                     compare everything stored with its checksums; repairs from the backup
  gc [--dry-run]             delete stored objects that have been unused for a week
  folder list                music folders with their ids
  folder add DIR NAME [copy|reference]   add a music folder and scan it
  folder rename FOLDER NAME  give a music folder, by its name or id, another name
  folder remove FOLDER       its tracks go to the trash; folder restore FOLDER undoes that
  trash list                 deleted tracks with their ids, who deleted them and when they are gone for good
  trash restore ID …         bring tracks back, with their likes, plays and playlist entries
  trash empty [ID …]         delete tracks of the trash for good; without ids all of them
  storage migrate --to ${STORAGES.join('|')}   move the library to another storage; can be resumed
  rebuild                    make a new database from the stored audio, if the old one is lost and
                             there is no backup; then scan the music folder
  openapi                    print the OpenAPI document

Options
  --data-dir DIR             database, settings, stored audio, caches and logs
  --host ADDRESS             address to listen on (0.0.0.0 for other devices)
  --port PORT                port to listen on; with --keep-port it is kept in the settings
  --import DIR               your music folder; scanned at the start, and kept in the settings
  --index                    leave the files of the music folder where they are instead of copying them
                             into the library; kept in the settings
  --new-library              begin another library in a folder or storage that held one
  --earlier-library          with gc: also what an earlier library in the storage may need
  --open                     open the browser
  --log-level LEVEL          trace, debug, info, warn, error, fatal, silent
  --help, --version

Settings (environment variables, or lower case in settings.json inside the data folder)
`;

/** The text of --help, with the settings from their table. */
export function helpText(): string {
  const lines = SETTING_NAMES.map((name) => {
    const parsed = SETTINGS[name].schema.safeParse(undefined);
    const value: unknown = parsed.success ? parsed.data : undefined;
    const shown =
      value === undefined || (Array.isArray(value) && value.length === 0) ? '' : ` [${JSON.stringify(value)}]`;
    return `  ${name.padEnd(26)} ${SETTINGS[name].help}${shown}`;
  });
  return `${USAGE}${lines.join('\n')}\n`;
}
