// Parsing of the command line, and messages for invalid command lines.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../../server/cli/command-line.ts';
import { helpText } from '../../../server/cli/help.ts';
import { SETTING_NAMES } from '../../../server/config/settings.ts';
import { COMMAND_NAMES, COMMANDS } from '../../../server/cli/commands.ts';
import { UsageError } from '../../../server/cli/usage-error.ts';

const DEFAULT_COMMAND_LINE = {
  name: 'serve',
  args: [],
  settings: {},
  open: false,
  scanAtStart: false,
  keepPort: false,
  superuser: false,
  dryRun: false,
  scope: 'pending',
};
const IMPORT_PATH_SETTING = 'LOCAL_MEDIA_IMPORT_PATH';
const INDEX_SETTINGS = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };

test.each<[string[], object]>([
  [[], {}],
  [['serve'], {}],
  [['--open'], { open: true }],
  [['enrich'], { name: 'enrich' }],
  [['enrich', '--all'], { name: 'enrich', scope: 'all' }],
  [['enrich', '--failed'], { name: 'enrich', scope: 'failed' }],
  [['serve', '--port', '8080', '--host=0.0.0.0'], { settings: { PORT: '8080', HOST: '0.0.0.0' } }],
  [['--data-dir', '/tmp/a b', '--log-level', 'debug'], { settings: { DATA_DIR: '/tmp/a b', LOG_LEVEL: 'debug' } }],
  [['--port', '4748', '--keep-port'], { settings: { PORT: '4748' }, keepPort: true }],
  [['--import', '/music'], { settings: { [IMPORT_PATH_SETTING]: resolve('/music') }, scanAtStart: true }],
  [['--import', 'my music'], { settings: { [IMPORT_PATH_SETTING]: resolve('my music') }, scanAtStart: true }],
  [
    ['--import', '/music', '--index'],
    { settings: { [IMPORT_PATH_SETTING]: resolve('/music'), ...INDEX_SETTINGS }, scanAtStart: true },
  ],
  [['--index'], { settings: INDEX_SETTINGS, scanAtStart: true }],
  [['--data-dir=~/x'], { settings: { DATA_DIR: join(homedir(), 'x') } }],
  [['export', '~'], { name: 'export', args: [homedir()] }],
  [['export', '~x'], { name: 'export', args: ['~x'] }],
  [['scan', '/music', '--index'], { name: 'scan', args: ['/music'], settings: INDEX_SETTINGS, scanAtStart: true }],
  [['--port', '1', '--port', '2'], { settings: { PORT: '2' } }],
  [['scan'], { name: 'scan' }],
  [['scan', 'music'], { name: 'scan', args: ['music'] }],
  [['scan', '--dry-run'], { name: 'scan', dryRun: true }],
  [['scan', '--reread'], { name: 'scan', reread: true }],
  [
    ['scan', '--dry-run', 'music', '--import', '/m'],
    {
      name: 'scan',
      args: ['music'],
      settings: { [IMPORT_PATH_SETTING]: resolve('/m') },
      scanAtStart: true,
      dryRun: true,
    },
  ],
  [['--data-dir', '/d', 'scan', '/music'], { name: 'scan', args: ['/music'], settings: { DATA_DIR: '/d' } }],
  [['scan', '--', '-odd'], { name: 'scan', args: ['-odd'] }],
  [['user', 'list'], { name: 'user', args: ['list'] }],
  [['user', 'set', 'ann', 'can_edit=yes'], { name: 'user', args: ['set', 'ann', 'can_edit=yes'] }],
  [['folder', 'add', '/m', 'Vinyl', 'copy'], { name: 'folder', args: ['add', '/m', 'Vinyl', 'copy'] }],
  [['trash', 'restore', '1', '2'], { name: 'trash', args: ['restore', '1', '2'] }],
  [['user', 'add', 'ann', '--superuser'], { name: 'user', args: ['add', 'ann'], superuser: true }],
  [['backup'], { name: 'backup' }],
  [['backup', '--to', '/mnt/disk'], { name: 'backup', to: '/mnt/disk' }],
  [
    ['restore', '--from', 's3', '--snapshot', 'x', '--replace', '--music', '/m', '--skip-damaged'],
    { name: 'restore', from: 's3', snapshot: 'x', replace: true, music: '/m', skipDamaged: true },
  ],
  [['export', '/mnt/disk'], { name: 'export', args: ['/mnt/disk'] }],
  [['openapi'], { name: 'openapi' }],
  [['user', 'revoke', 'ann', 'old', 'phone'], { name: 'user', args: ['revoke', 'ann', 'old', 'phone'] }],
  [['backup', 'check', '--read', '5%', '--to', 's3'], { name: 'backup', args: ['check'], readPercent: 5, to: 's3' }],
  [['--help'], { name: 'help' }],
  [['help'], { name: 'help' }],
  [['scan', '-h'], { name: 'help', topic: 'scan' }],
  [['help', 'scan'], { name: 'help', topic: 'scan' }],
  [['help', 'user', 'add'], { name: 'help', topic: 'user' }],
  [['user', 'add', '--help'], { name: 'help', topic: 'user' }],
  [['restore', '--help'], { name: 'help', topic: 'restore' }],
  [['-v'], { name: 'version' }],
  [['version'], { name: 'version' }],
  [['--version', '--help'], { name: 'help' }],
])('%j is parsed', (argv, expected) => {
  expect(parseCommandLine(argv)).toEqual({ ...DEFAULT_COMMAND_LINE, ...expected });
});

test.each<[string[], RegExp]>([
  [['start'], /no command "start".*--help/],
  [['Serve'], /no command "Serve"\. Did you mean "serve"\?/],
  [['scna'], /Did you mean "scan"\?/],
  [['bakup'], /Did you mean "backup"\?/],
  [['help', 'restor'], /Did you mean "restore"\?/],
  [['nonsense', '--help'], /no command "nonsense"/],
  [['user', 'ad', 'ann'], /no "user ad"\. Did you mean "user add"\?/],
  [['user'], /user list, user add, .* or user revoke\. See "tonearm help user"/],
  [['user', 'add'], /missing: tonearm user add NAME/],
  [['user', 'set', 'ann'], /missing: tonearm user set NAME WHAT=VALUE/],
  [['user', 'set', 'ann', 'quota_bytes=1e9'], /quota_bytes takes a number of bytes/],
  [
    ['backup', 'chekc'],
    /no "backup chekc"\. Did you mean "backup check"\? There are backup check, backup list and backup unlock/,
  ],
  [['backup', '--read', '5'], /--read is an option of backup check/],
  [['backup', 'check', '--read', '500'], /from 0% to 100%, not "500"/],
  [['trash', 'restore'], /missing: tonearm trash restore ID/],
  [['verify', '--open'], /--open is an option of serve, not of verify/],
  [['--port', 'http'], /Setting PORT = "http": must be a whole number/],
  [[''], /no command ""/],
  [['--colour'], /Unknown option '--colour'.*--help/],
  [['--prot', '1'], /Unknown option '--prot'\. Did you mean "--port"\?/],
  [['-x'], /Unknown option '-x'/],
  [['--no-open'], /Unknown option '--no-open'/],
  [['--port'], /'--port <value>'.*missing/],
  [['--port', '--open'], /'--port/],
  [['--open=yes'], /'--open' does not take an argument/],
  [['serve', '/music'], /Unexpected argument "\/music"/],
  [['scan', 'my', 'music'], /Unexpected argument "music"/],
  [['user', 'add', 'ann', 'bob'], /"bob" is not WHAT=VALUE/],
  [['openapi', 'x'], /Unexpected argument "x"/],
  [['--import', ''], /after --import is empty/],
  [['--import= '], /after --import is empty/],
  [['scan', ''], /after scan is empty/],
  [['restore'], /restore --from DIR/],
  [['restore', '--from', ' '], /after --from is empty/],
  [['export'], /export DIR/],
  [['export', ' '], /after export is empty/],
  [['gc', '--index'], /--index is an option of serve, scan and rebuild, not of gc/],
  [['serve', '--replace'], /--replace is an option of restore and import, not of serve/],
  [['backup', '--from', 'x'], /--from is an option of backup list/],
  [['--dry-run'], /--dry-run is an option of scan and gc, not of serve/],
  [['--all'], /--all is an option of enrich, not of serve/],
  [['scan', '--failed'], /--failed is an option of enrich, not of scan/],
  [['enrich', '--all', '--failed'], /--all includes --failed/],
  [['user', 'list', '--dry-run'], /--dry-run is an option of scan/],
  [['storage'], /storage migrate/],
  [['storage', 'migrate'], /missing: tonearm storage migrate --to local\|s3/],
  [['storage', 'migrate', '--to', 'elsewhere'], /no storage "elsewhere": tonearm storage migrate --to local\|s3/],
  [['storage', 'delete', '--to', 's3'], /storage migrate/],
  [['verify', '--to', 's3'], /--to is an option of backup and storage/],
  [['gc', 'now'], /Unexpected argument "now"/],
  [['--data-dir='], /after --data-dir is empty/],
])('%j is rejected with one line', (argv, words) => {
  const parseInvalid = (): unknown => parseCommandLine(argv);
  expect(parseInvalid).toThrow(UsageError);
  expect(parseInvalid).toThrow(words);
  try {
    parseInvalid();
  } catch (error) {
    expect((error as UsageError).message).not.toContain('\n');
    expect((error as UsageError).message).toMatch(/\.$/);
  }
});

describe('help', () => {
  const lines = helpText().split('\n');

  test.each([
    'serve',
    'scan',
    'enrich',
    'user list',
    'user add',
    'user passwd',
    'user promote',
    'user access',
    'user sign-out',
    'user revoke',
    'trash list',
    'trash restore',
    'trash empty',
    'openapi',
  ])('describes the command %s', (command) => {
    expect(lines.some((line) => line.startsWith(`  ${command} `))).toBe(true);
  });

  test.each([
    '--data-dir',
    '--host',
    '--port',
    '--import',
    '--open',
    '--log-level',
    '--help',
    '--version',
    '--superuser',
    '--dry-run',
  ])('describes the option %s', (option) => {
    expect(helpText()).toContain(option);
  });

  test.each(SETTING_NAMES)('has a line for the setting %s', (name) => {
    expect(helpText()).toMatch(new RegExp(`^  ${name}(?: +|\n {29})\\S.{8,}$`, 'm'));
  });

  test.each(COMMAND_NAMES)('of %s has its usage, its options and examples that parse', (name) => {
    const text = helpText(name);
    expect(text).toMatch(new RegExp(`^Usage\\n {2}tonearm ${name}`));
    expect(text).toContain('--data-dir DIR');
    for (const example of COMMANDS[name].examples) {
      expect(text).toContain(`  tonearm ${example}\n`);
      expect(() => parseCommandLine(example.split(' > ')[0]?.split(' ') ?? [])).not.toThrow();
    }
  });

  test('of a command lists only the options of that command', () => {
    expect(helpText('backup')).toMatch(/^ {2}tonearm backup check \[--read 5%\] \[--to DIR\|s3\]$/m);
    expect(helpText('backup')).not.toMatch(/--open|--snapshot/);
  });

  test('says which units a size may have, and what the exit codes mean', () => {
    expect(helpText()).toMatch(/500MB.*1000.*2GiB.*1024/);
    expect(helpText()).toMatch(/0 done.*1 failed.*2 the command line is wrong/);
  });

  test('shows defaults', () => {
    expect(helpText()).toMatch(/^ {2}PORT .*\[4747\]$/m);
    expect(helpText()).toMatch(/^ {2}HOST .*\["127\.0\.0\.1"\]$/m);
  });
});
