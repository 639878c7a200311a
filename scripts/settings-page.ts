// `npm run settings-page`: writes docs/SETTINGS.md from the table of settings. A test fails when the page is out of
// date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../server/config/settings.ts';
import { SETTING_GROUPS } from '../server/setting-kinds.ts';
import { BACKENDS } from '../server/storage/backends.ts';

export const PAGE_PATH = join(import.meta.dirname, '..', 'docs', 'SETTINGS.md');

const HEADER = `# Settings

Each setting is an environment variable, a line in \`settings.json\` in the data folder (lower case), and a field in the
settings window. The environment wins over the file. Sizes are in bytes, or have a unit: \`500MB\` and \`1.5g\` are powers
of 1000, \`2GiB\` is of 1024. Keys and passwords can come from files: \`S3_SECRET_ACCESS_KEY_FILE=/run/secrets/s3-key\`
takes the key from there, as for containers and systemd. Written by \`npm run settings-page\` from
\`server/config/settings.ts\`.
`;

/** Returns the text for the default value of a setting. */
function defaultOf(name: SettingName): string {
  if (name === 'DATA_DIR') return 'the system’s folder for application data';
  const parseResult = SETTINGS[name].schema.safeParse(undefined);
  const value: unknown = parseResult.success ? parseResult.data : undefined;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');
  return `\`${SETTINGS[name].unit === 'duration' ? `${Number(value) / 86_400}d` : text.replaceAll('|', '\\|')}\``;
}

function choicesOf(name: SettingName): string[] {
  if (name === 'STORAGE_BACKEND') return BACKENDS.map((backend) => backend.name);
  const { schema } = SETTINGS[name];
  const rule = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return rule instanceof z.ZodEnum ? rule.options.map(String) : [];
}

function lineOf(name: SettingName): string {
  const { help, restart, secret } = SETTINGS[name];
  const choices = choicesOf(name);
  const notes = [
    choices.length > 0 && `One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.`,
    restart && 'Takes effect at the next start.',
    secret && 'Secret.',
  ].filter((note) => note);
  return `| \`${name}\` | ${defaultOf(name)} | ${[help, ...notes].join(' ').replaceAll('|', '\\|')} |\n`;
}

export function settingsPage(): string {
  const tables = SETTING_GROUPS.map((group) => {
    const names = SETTING_NAMES.filter((name) => SETTINGS[name].group === group);
    const title = group.charAt(0).toUpperCase() + group.slice(1);
    return `\n## ${title}\n\n| setting | default | |\n|---|---|---|\n${names.map(lineOf).join('')}`;
  });
  return HEADER + tables.join('');
}

if (import.meta.main) writeFileSync(PAGE_PATH, settingsPage());
