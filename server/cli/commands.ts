// All commands and options of the command line, with a line of help each. The parser, its messages and the help are
// derived from these tables.
import { ACCOUNT_LIMITS, RIGHTS } from '../db/rights.ts';
import { LOG_LEVELS } from '../log/log.ts';
import { BACKENDS, BACKUP_BACKEND_NAMES } from '../storage/backends.ts';

interface OptionSpec {
  type: 'string' | 'boolean';
  short?: string;
  /** Placeholder for the option's value in the help. */
  value?: string;
  /** The setting that the option overrides. */
  setting?: 'DATA_DIR' | 'HOST' | 'PORT' | 'LOG_LEVEL';
  about: string;
}

const PLACES = ['DIR', ...BACKUP_BACKEND_NAMES].join('|');
export const STORAGES = BACKENDS.map(({ name }) => name);
const PLACE_OR_STORAGE = [...new Set(['DIR', ...BACKUP_BACKEND_NAMES, ...STORAGES])].join('|');

export const OPTIONS = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    setting: 'DATA_DIR',
    about: 'database, settings, stored audio, caches and logs',
  },
  'log-level': { type: 'string', value: 'LEVEL', setting: 'LOG_LEVEL', about: LOG_LEVELS.join(', ') },
  host: {
    type: 'string',
    value: 'ADDRESS',
    setting: 'HOST',
    about: 'address to listen on (0.0.0.0 for other devices)',
  },
  port: { type: 'string', value: 'PORT', setting: 'PORT', about: 'port to listen on; 0 for any free one' },
  'keep-port': { type: 'boolean', about: 'keep the port of --port in the settings' },
  import: { type: 'string', value: 'DIR', about: 'your music folder; scanned at the start, and kept in the settings' },
  index: {
    type: 'boolean',
    about: 'leave the files of the music folder where they are instead of copying them; kept in the settings',
  },
  open: { type: 'boolean', about: 'open the browser, even if the server is already running' },
  'new-library': { type: 'boolean', about: 'start a new library in a folder or storage that contained one' },
  'earlier-library': { type: 'boolean', about: 'also delete what an earlier library in the storage may need' },
  reread: {
    type: 'boolean',
    about: 'also read files that look unchanged, to find tags edited without a new file time',
  },
  'dry-run': { type: 'boolean', about: 'only print what would change or be deleted' },
  all: { type: 'boolean', about: 'identify all tracks' },
  failed: { type: 'boolean', about: 'identify those that failed' },
  superuser: { type: 'boolean', about: 'the account manages the server' },
  to: { type: 'string', value: PLACE_OR_STORAGE, about: 'the place of the backup, or the new storage' },
  from: { type: 'string', value: PLACES, about: 'the place of the backup' },
  snapshot: { type: 'string', value: 'ID', about: 'restore this snapshot; by default the newest' },
  music: { type: 'string', value: 'DIR', about: 'where copied files of a music folder go' },
  replace: { type: 'boolean', about: 'move an existing library aside' },
  'skip-damaged': { type: 'boolean', about: 'continue without files that are damaged or missing' },
  'accept-settings': {
    type: 'boolean',
    about: 'also take accounts, programs, folders and addresses that differ from those here',
  },
  yes: { type: 'boolean', about: 'do not ask before accounts are taken over or deleted' },
  read: { type: 'string', value: '5%', about: 'the part of the contents that is read and compared, 0% to 100%' },
  help: { type: 'boolean', short: 'h', about: 'this text; after a command, the text for the command' },
  version: { type: 'boolean', short: 'v', about: 'print the version' },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof OPTIONS;
/** Options of all commands. */
export const GENERAL_OPTIONS: readonly OptionName[] = ['data-dir', 'log-level', 'help', 'version'];

/** One way to call a command, for example `backup check`. */
export interface Form {
  /** Set if the command creates a library where there is none. */
  createsLibrary?: true;
  /**
   * The arguments after the command: a verb in lower case, `NAMES` for required arguments, `[NAMES]` for optional ones,
   * and `…` for any number of them.
   */
  args: string;
  about: string;
  required?: readonly OptionName[];
  options?: readonly OptionName[];
  /** Placeholders of option values, where they differ in this form. */
  values?: Partial<Record<OptionName, string>>;
}

interface CommandSpec {
  forms: readonly Form[];
  /** Options of all forms of the command, which the usage lines leave out. */
  shared?: readonly OptionName[];
  examples: readonly string[];
}

const RIGHT_NAMES = Object.values(RIGHTS).map(({ name }) => name);
const { maxBitrateKbps, quotaBytes } = ACCOUNT_LIMITS;

export const COMMANDS = {
  serve: {
    forms: [
      {
        args: '',
        createsLibrary: true,
        about: 'the server and its web interface (default)',
        options: ['import', 'index', 'open', 'host', 'port', 'keep-port', 'new-library'],
      },
    ],
    examples: ['serve --import ~/Music --open'],
  },
  scan: {
    forms: [
      {
        args: '[DIR]',
        createsLibrary: true,
        about: 'scan the music folder, or DIR in it, once and without a running server',
        options: ['dry-run', 'reread', 'import', 'index', 'new-library'],
      },
    ],
    examples: ['scan --dry-run', 'scan ~/Music/Jazz'],
  },
  enrich: {
    forms: [{ args: '', about: 'identify new tracks, all tracks, or those that failed', options: ['all', 'failed'] }],
    examples: ['enrich --failed'],
  },
  user: {
    forms: [
      { args: 'list', about: 'list accounts' },
      {
        args: 'add NAME [WHAT=VALUE …]',
        createsLibrary: true,
        about: 'create an account; asks for the password; WHAT as in user set',
        options: ['superuser'],
      },
      { args: 'passwd NAME', about: 'set a password' },
      {
        args: 'delete NAME',
        about: 'delete an account with its playlists, likes and history; asks first',
        options: ['yes'],
      },
      { args: 'promote NAME', about: 'make an account a superuser' },
      {
        args: 'set NAME WHAT=VALUE …',
        about:
          `what an account may do (${RIGHT_NAMES.join(', ')}: yes or no) and its limits (${quotaBytes.name}: ` +
          `${quotaBytes.takes}; ${maxBitrateKbps.name}: ${maxBitrateKbps.takes}; or none)`,
      },
      { args: 'access NAME', about: 'where an account is signed in, and its app passwords' },
      { args: 'sign-out NAME', about: 'end all sessions of an account' },
      { args: 'revoke NAME APP-PASSWORD …', about: 'revoke an app password' },
    ],
    shared: ['new-library'],
    examples: ['user add ann quota_bytes=20GB', 'user set ann can_edit=yes quota_bytes=none'],
  },
  backup: {
    forms: [
      {
        args: '',
        about: 'back up the library to the configured place, or to another',
        options: ['to'],
        values: { to: PLACES },
      },
      {
        args: 'check',
        about: 'check that the backup can be restored, read a part of its contents, and repair it from the library',
        options: ['read', 'to'],
        values: { to: PLACES },
      },
      {
        args: 'unlock',
        about: 'release a backup that a server left locked',
        options: ['to'],
        values: { to: PLACES },
      },
    ],
    examples: ['backup --to /media/disk/tonearm', 'backup check --read 100%'],
  },
  restore: {
    forms: [
      {
        args: '',
        createsLibrary: true,
        about: 'restore a backup into the data folder; asks for the passphrase, if it is encrypted and none is set',
        required: ['from'],
        options: ['snapshot', 'replace', 'music', 'skip-damaged', 'accept-settings'],
      },
    ],
    examples: ['restore --from /media/disk/tonearm --replace'],
  },
  export: {
    forms: [{ args: 'DIR', about: 'export audio with readable file names, playlists and data; makes DIR' }],
    examples: ['export /media/disk/music'],
  },
  import: {
    forms: [
      {
        args: 'DIR',
        createsLibrary: true,
        about: 'make the library of an export in the data folder',
        options: ['replace', 'skip-damaged', 'yes'],
      },
    ],
    examples: ['import /media/disk/music --data-dir /path/of/the/new/library'],
  },
  verify: {
    forms: [{ args: '', about: 'compare everything stored with its checksums; repairs from the backup' }],
    examples: ['verify'],
  },
  gc: {
    forms: [
      {
        args: '',
        about: 'delete stored objects that have been unused for a week',
        options: ['dry-run', 'earlier-library'],
      },
    ],
    examples: ['gc --dry-run'],
  },
  folder: {
    forms: [
      { args: 'list', about: 'music folders with their ids' },
      { args: 'add DIR NAME [copy|reference]', createsLibrary: true, about: 'add a music folder and scan it' },
      { args: 'rename FOLDER NAME', about: 'rename a music folder, given by its name or id' },
      { args: 'remove FOLDER', about: 'move its tracks to the trash; folder restore undoes that' },
      { args: 'restore FOLDER', about: 'restore a removed music folder' },
    ],
    examples: ['folder add /mnt/vinyl Vinyl reference', 'folder remove Vinyl'],
  },
  trash: {
    forms: [
      { args: 'list', about: 'deleted tracks with their ids, who deleted them and until when they are kept' },
      { args: 'restore ID …', about: 'restore tracks, with their likes, plays and playlist entries' },
      { args: 'empty [ID …]', about: 'delete tracks in the trash permanently; all of them if no ids are given' },
    ],
    examples: ['trash restore 12 13'],
  },
  storage: {
    forms: [
      {
        args: 'migrate',
        about: 'move the library to another storage; can be resumed',
        required: ['to'],
        values: { to: STORAGES.join('|') },
      },
    ],
    examples: [`storage migrate --to ${STORAGES.at(-1)}`],
  },
  rebuild: {
    forms: [
      {
        args: '',
        createsLibrary: true,
        about:
          'make a new database from the stored audio, if the old one is lost and there is no backup; then scan the ' +
          'music folder',
        options: ['import', 'index'],
      },
    ],
    examples: ['rebuild'],
  },
  openapi: { forms: [{ args: '', about: 'print the OpenAPI document' }], examples: ['openapi > openapi.json'] },
  help: {
    forms: [{ args: '[COMMAND …]', about: 'all commands and settings, or one command with its options' }],
    examples: ['help backup'],
  },
  version: { forms: [{ args: '', about: 'print the version' }], examples: ['version'] },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

export const formsOf = (name: CommandName): readonly Form[] => COMMANDS[name].forms;
export const sharedOptionsOf = (name: CommandName): readonly OptionName[] => {
  const { shared = [] }: CommandSpec = COMMANDS[name];
  return shared;
};
export const isCommand = (word: string): word is CommandName => word in COMMANDS;

/** Returns the verb of the form, and how many arguments may follow it. */
export function shapeOf({ args }: Form): { verb: string | undefined; minArgs: number; maxArgs: number } {
  const tokens: string[] = args.match(/\[[^[\]]*\]|[^\s[\]]+/g) ?? [];
  const verb = /^[a-z]/.test(args) ? tokens.shift() : undefined;
  const operands = tokens.filter((token) => token !== '…');
  return {
    verb,
    minArgs: operands.filter((token) => !token.startsWith('[')).length,
    maxArgs: args.includes('…') ? Infinity : operands.length,
  };
}

export const optionsOf = ({ required = [], options = [] }: Form): readonly OptionName[] => [...required, ...options];

/** Returns the command and the verb, such as `backup check`. */
export const titleOf = (name: CommandName, form: Form): string =>
  [name, shapeOf(form).verb].filter((word) => word !== undefined).join(' ');

/** Returns an option with the placeholder of its value, such as `--to DIR`. */
export function optionText(option: OptionName, form?: Form): string {
  const { value }: OptionSpec = OPTIONS[option];
  const shownValue = form?.values?.[option] ?? value;
  return shownValue === undefined ? `--${option}` : `--${option} ${shownValue}`;
}

/** Returns the command with its required arguments and options, such as `storage migrate --to local|s3`. */
export const callOf = (name: CommandName, form: Form): string =>
  [name, form.args, ...(form.required ?? []).map((option) => optionText(option, form))].filter(Boolean).join(' ');
