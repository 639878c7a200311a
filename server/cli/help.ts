// The text of --help about all commands, options and settings, or about one command.
import { SETTINGS, SETTING_NAMES } from '../config/settings.ts';
import {
  callOf,
  COMMAND_NAMES,
  COMMANDS,
  formsOf,
  GENERAL_OPTIONS,
  OPTIONS,
  optionsOf,
  optionText,
  sharedOptionsOf,
  type CommandName,
  type Form,
  type OptionName,
} from './commands.ts';

const MAX_WIDTH = 110;
const LEFT_COLUMN_WIDTH = 26;

const INTRODUCTION = `Tonearm keeps your music library and serves it to your browser and your phones.

  tonearm [command] [options]
  tonearm help COMMAND           a command with its options and an example

In the folder with the sources type npx tonearm …, elsewhere node /path/to/tonearm/scripts/tonearm.js …
`;

const COMMANDS_HEAD =
  'Commands (all but serve, openapi, backup list, help and version need a library that no server runs on)';

const EXIT_CODES = `Exit codes
  0 done   1 failed, or something is damaged   2 the command line is wrong   3 the backup or export lacks files
`;

const SETTINGS_HEAD = `Settings (environment variables, or lower case in settings.json inside the data folder)
  Keys and passwords may be in files: S3_SECRET_ACCESS_KEY_FILE=/run/secrets/s3-key.
  Sizes are in bytes, or have a unit: 500MB and 1.5g are powers of 1000, 2GiB is of 1024.
`;

/** Returns the help of all commands and settings, or of one command. */
export function helpText(topic?: CommandName): string {
  return topic === undefined ? generalHelp() : commandHelp(topic);
}

function generalHelp(): string {
  const forms = COMMAND_NAMES.flatMap((name) =>
    formsOf(name).map((form): [string, string] => [callOf(name, form), form.about]),
  );
  const options = (Object.keys(OPTIONS) as OptionName[]).map((option): [string, string] => {
    const users = GENERAL_OPTIONS.includes(option) ? [] : commandsWith(option);
    const usersText = users.length === 0 ? '' : ` [${users.join(', ')}]`;
    return [optionText(option), `${OPTIONS[option].about}${usersText}`];
  });
  return [
    INTRODUCTION,
    `${COMMANDS_HEAD}\n${formatTable(forms)}`,
    `Options\n${formatTable(options)}`,
    EXIT_CODES,
    `${SETTINGS_HEAD}\n${formatSettings()}`,
  ].join('\n');
}

/** Lists the commands that take the option. */
export const commandsWith = (option: OptionName): CommandName[] =>
  COMMAND_NAMES.filter((name) => [...formsOf(name).flatMap(optionsOf), ...sharedOptionsOf(name)].includes(option));

function commandHelp(name: CommandName): string {
  const forms = formsOf(name);
  const usages = forms.map((form): [string, string] => [`tonearm ${fullCallOf(name, form)}`, form.about]);
  const ownOptions = [...new Set([...forms.flatMap(optionsOf), ...sharedOptionsOf(name)])];
  const options = [...ownOptions, ...GENERAL_OPTIONS.filter((option) => option !== 'version')].map(
    (option): [string, string] => [
      optionText(
        option,
        forms.find((form) => form.values?.[option]),
      ),
      OPTIONS[option].about,
    ],
  );
  const { examples } = COMMANDS[name];
  return [
    `Usage\n${formatTable(usages)}`,
    `Options\n${formatTable(options)}`,
    `${examples.length > 1 ? 'Examples' : 'Example'}\n${examples.map((line) => `  tonearm ${line}\n`).join('')}`,
  ].join('\n');
}

/** Returns the command with all its arguments and options, including optional ones. */
export const fullCallOf = (name: CommandName, form: Form): string =>
  [callOf(name, form), ...(form.options ?? []).map((option) => `[${optionText(option, form)}]`)].join(' ');

/** Formats two columns. The second column is wrapped; it begins on a new line where the first column is too long. */
const formatTable = (rows: readonly [string, string][]): string =>
  rows
    .map(([name, description]) => {
      const lines = wrapLines(description, MAX_WIDTH - LEFT_COLUMN_WIDTH - 3);
      const firstLine =
        name.length > LEFT_COLUMN_WIDTH
          ? `  ${name}\n`
          : `  ${name.padEnd(LEFT_COLUMN_WIDTH)} ${lines.shift() ?? ''}\n`;
      return firstLine + lines.map((line) => `${' '.repeat(LEFT_COLUMN_WIDTH + 3)}${line}\n`).join('');
    })
    .join('');

function wrapLines(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

const formatSettings = (): string =>
  formatTable(
    SETTING_NAMES.map((name) => {
      const parsed = SETTINGS[name].schema.safeParse(undefined);
      const value: unknown = parsed.success ? parsed.data : undefined;
      const defaultText =
        value === undefined || (Array.isArray(value) && value.length === 0) ? '' : ` [${JSON.stringify(value)}]`;
      return [name, `${SETTINGS[name].help}${defaultText}`];
    }),
  );
