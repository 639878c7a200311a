// Parses the command line: the command, its arguments, and the settings that options set.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSetting } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { percentFromText } from '../runtime/number-text.ts';
import { findBackend } from '../storage/backends.ts';
import { parseTerms } from './account-terms.ts';
import {
  COMMAND_NAMES,
  formsOf,
  GENERAL_OPTIONS,
  isCommand,
  OPTIONS,
  optionsOf,
  sharedOptionsOf,
  shapeOf,
  titleOf,
  type CommandName,
  type Form,
  type OptionName,
} from './commands.ts';
import { fullCallOf, commandsWith } from './help.ts';
import { suggestionFor } from './nearest-word.ts';
import { UsageError } from './usage-error.ts';

export interface Command {
  name: CommandName;
  args: string[];
  /** Settings from options, which override the environment. */
  settings: Record<string, string>;
  open: boolean;
  /** `--import` or `--index`: whether to scan at startup. */
  scanAtStart: boolean;
  /** `--keep-port`: whether to save the port of `--port` in the settings. */
  keepPort: boolean;
  superuser: boolean;
  dryRun: boolean;
  /** Set by `--reread`. */
  reread?: boolean;
  /** The tracks that `enrich` identifies. */
  scope: 'pending' | 'failed' | 'all';
  to?: string;
  from?: string;
  snapshot?: string;
  music?: string;
  replace?: boolean;
  skipDamaged?: boolean;
  /** Set by `--read`: the percentage of a backup's contents to read. */
  readPercent?: number;
  /** Set by `--new-library`. */
  isNewLibrary?: boolean;
  /** Set by `--earlier-library`. */
  earlierLibrary?: boolean;
  /** Set by `--accept-settings`. */
  acceptSettings?: boolean;
  /** Set by `--yes`. */
  isConfirmed?: boolean;
  /** The command that the user asked `help` about. */
  topic?: CommandName;
}

type Values = ReturnType<typeof parse>['values'];

/** Parses the arguments of the process. Throws UsageError with a message that names the mistake. */
export function parseCommandLine(argv: string[]): Command {
  const { values, positionals } = parse(argv);
  const [word = 'serve', ...args] = positionals;
  if (values.help || word === 'help') return helpCommand(word === 'help' ? args : positionals);
  if (values.version) return toCommand('version', [], {});
  if (!isCommand(word))
    throw new UsageError(
      `There is no command "${word}".${suggestionFor(word, COMMAND_NAMES)} Run with --help for the list.`,
    );
  assertFits(findForm(word, args), { name: word, args, values });
  return toCommand(word, args, values);
}

const PATHS = ['data-dir', 'import', 'to', 'from', 'music'] as const;

function parse(argv: string[]) {
  try {
    const parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
    for (const name of PATHS) {
      const path = parsed.values[name];
      if (path !== undefined) parsed.values[name] = expandHome(path);
    }
    return { ...parsed, positionals: parsed.positionals.map(expandHome) };
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split(/\.?\n|\. /)[0] ?? '') : String(cause);
    const [, option] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    const suggestion = option === undefined ? '' : suggestionFor(option, Object.keys(OPTIONS), '--');
    throw new UsageError(`${message}.${suggestion} Run with --help for the list of options.`, { cause });
  }
}

function helpCommand([word]: string[]): Command {
  if (word === undefined) return toCommand('help', [], {});
  if (!isCommand(word))
    throw new UsageError(
      `There is no command "${word}".${suggestionFor(word, COMMAND_NAMES)} Run "tonearm help" for the list.`,
    );
  return { ...toCommand('help', [], {}), topic: word };
}

/** Returns the form of a command that the first argument selects. Throws UsageError. */
export function findForm(name: CommandName, args: string[]): Form {
  const forms = formsOf(name);
  const verbs = forms.flatMap((form) => shapeOf(form).verb ?? []);
  const defaultForm = forms.find((form) => shapeOf(form).verb === undefined);
  const [word] = args;
  const chosenForm = forms.find((form) => word !== undefined && shapeOf(form).verb === word);
  if (chosenForm) return chosenForm;
  if (defaultForm && (word === undefined || verbs.length === 0)) return defaultForm;
  const calls = verbs.map((verb) => `${name} ${verb}`);
  if (word === undefined) {
    const choices = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(calls);
    throw new UsageError(`Specify what to do: ${choices}. See "tonearm help ${name}".`);
  }
  throw new UsageError(
    `There is no "${name} ${word}".${suggestionFor(word, verbs, `${name} `)} There ` +
      `${verbs.length === 1 ? 'is' : 'are'} ${new Intl.ListFormat('en-GB').format(calls)}.`,
  );
}

interface Call {
  name: CommandName;
  args: string[];
  values: Values;
}

/** Throws UsageError for arguments and options that the form does not take, and for missing ones. */
function assertFits(form: Form, { name, args, values }: Call): void {
  const { verb, minArgs, maxArgs } = shapeOf(form);
  const operands = verb === undefined ? args : args.slice(1);
  assertOptions(form, name, values);
  if (maxArgs < operands.length)
    throw new UsageError(`Unexpected argument "${operands[maxArgs]}". Names with spaces need quotes.`);
  if (operands.length < minArgs || (form.required ?? []).some((option) => values[option] === undefined))
    throw new UsageError(`An argument is missing: tonearm ${fullCallOf(name, form)}.`);
  for (const argument of operands) assertNotEmpty(argument, titleOf(name, form));
  if (form.args.includes('WHAT=VALUE')) parseTerms(operands.slice(1));
  if (values.all && values.failed) throw new UsageError('--all includes --failed; use only one of them.');
  if (name === 'storage' && !findBackend(values.to ?? ''))
    throw new UsageError(`There is no storage "${values.to}": tonearm ${fullCallOf(name, form)}.`);
}

function assertOptions(form: Form, name: CommandName, values: Values): void {
  const allowedOptions = [...optionsOf(form), ...sharedOptionsOf(name), ...GENERAL_OPTIONS];
  for (const [option, value] of Object.entries(values) as [OptionName, string | boolean][]) {
    if (!allowedOptions.includes(option))
      throw new UsageError(`--${option} is an option of ${describeCommandsWith(option, name)}.`);
    if (typeof value === 'string') assertNotEmpty(value, `--${option}`);
  }
}

/** Describes the commands with an option, such as `scan and gc, not of serve`. */
function describeCommandsWith(option: OptionName, name: CommandName): string {
  const users = commandsWith(option);
  const titles = users.includes(name)
    ? formsOf(name).flatMap((form) => (optionsOf(form).includes(option) ? [titleOf(name, form)] : []))
    : users;
  return `${new Intl.ListFormat('en-GB').format(titles)}${users.includes(name) ? '' : `, not of ${name}`}`;
}

function toCommand(name: CommandName, args: string[], values: Values): Command {
  const { to, from, snapshot, music, read } = values;
  return {
    name,
    args,
    settings: toSettings(values),
    scope: values.all ? 'all' : values.failed ? 'failed' : 'pending',
    open: values.open === true,
    scanAtStart: values.import !== undefined || values.index === true,
    keepPort: values['keep-port'] === true,
    superuser: values.superuser === true,
    dryRun: values['dry-run'] === true,
    ...(values.reread === true && { reread: true }),
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    ...(snapshot !== undefined && { snapshot }),
    ...(music !== undefined && { music }),
    ...(values.replace === true && { replace: true }),
    ...(values['skip-damaged'] === true && { skipDamaged: true }),
    ...(values['accept-settings'] === true && { acceptSettings: true }),
    ...(values.yes === true && { isConfirmed: true }),
    ...(read !== undefined && { readPercent: parsePercent(read) }),
    ...(values['new-library'] === true && { isNewLibrary: true }),
    ...(values['earlier-library'] === true && { earlierLibrary: true }),
  };
}

function toSettings(values: Values): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [option, spec] of Object.entries(OPTIONS)) {
    const value = values[option as OptionName];
    if (typeof value !== 'string' || !('setting' in spec)) continue;
    settings[spec.setting] = value;
    assertValid(spec.setting, value);
  }
  return {
    ...settings,
    ...(values.import !== undefined && { LOCAL_MEDIA_IMPORT_PATH: resolve(values.import) }),
    ...(values.index === true && { LOCAL_MEDIA_IMPORT_MODE: 'reference' }),
  };
}

function assertValid(setting: Parameters<typeof parseSetting>[0], value: string): void {
  try {
    parseSetting(setting, value);
  } catch (cause) {
    throw cause instanceof AppError ? new UsageError(cause.message, { cause }) : cause;
  }
}

/** Parses `5%` and `5`, which are the same. Throws UsageError. */
function parsePercent(text: string): number {
  const percent = percentFromText(text);
  if (percent !== undefined && percent >= 0 && percent <= 100) return percent;
  throw new UsageError(`--read takes a part of the contents, from 0% to 100%, not "${text}".`);
}

/**
 * Replaces a tilde at the start of a path. Shells do so only at the start of a word, so not in `--data-dir=~/Library`.
 */
const expandHome = (path: string): string => (/^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path);

/**
 * Throws for an empty value: it usually comes from an unset shell variable, and as a path it would be the working
 * directory.
 */
function assertNotEmpty(value: string, place: string): void {
  if (value.trim() === '') throw new UsageError(`The value after ${place} is empty.`);
}
