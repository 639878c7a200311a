// Parsing of the command line, and messages for invalid ones.
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpText, parseCommandLine } from '../../../server/cli/command-line.ts';
import { SETTING_NAMES } from '../../../server/config/settings.ts';
import { AppError } from '../../../server/errors.ts';

const nothing = {
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
const IMPORT = 'LOCAL_MEDIA_IMPORT_PATH';
const INDEX = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };

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
  [['--import', '/music'], { settings: { [IMPORT]: resolve('/music') }, scanAtStart: true }],
  [['--import', 'my music'], { settings: { [IMPORT]: resolve('my music') }, scanAtStart: true }],
  [['--import', '/music', '--index'], { settings: { [IMPORT]: resolve('/music'), ...INDEX }, scanAtStart: true }],
  [['--index'], { settings: INDEX, scanAtStart: true }],
  [['scan', '/music', '--index'], { name: 'scan', args: ['/music'], settings: INDEX, scanAtStart: true }],
  [['--port', '1', '--port', '2'], { settings: { PORT: '2' } }],
  [['scan'], { name: 'scan' }],
  [['scan', 'music'], { name: 'scan', args: ['music'] }],
  [['scan', '--dry-run'], { name: 'scan', dryRun: true }],
  [
    ['scan', '--dry-run', 'music', '--import', '/m'],
    { name: 'scan', args: ['music'], settings: { [IMPORT]: resolve('/m') }, scanAtStart: true, dryRun: true },
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
  [['--help'], { name: 'help' }],
  [['scan', '-h'], { name: 'help' }],
  [['--help', 'nonsense'], { name: 'help', args: [] }],
  [['-v'], { name: 'version' }],
  [['--version', '--help'], { name: 'help' }],
])('%j is parsed', (argv, expected) => {
  expect(parseCommandLine(argv)).toEqual({ ...nothing, ...expected });
});

test.each<[string[], RegExp]>([
  [['start'], /no command "start".*--help/],
  [['Serve'], /no command "Serve"/],
  [[''], /no command ""/],
  [['--colour'], /Unknown option '--colour'.*--help/],
  [['-x'], /Unknown option '-x'/],
  [['--no-open'], /Unknown option '--no-open'/],
  [['--port'], /'--port <value>'.*missing/],
  [['--port', '--open'], /'--port/],
  [['--open=yes'], /'--open' does not take an argument/],
  [['serve', '/music'], /Unexpected argument "\/music"/],
  [['scan', 'my', 'music'], /Unexpected argument "music"/],
  [['user', 'add', 'ann', 'bob'], /Unexpected argument "bob"/],
  [['openapi', 'x'], /Unexpected argument "x"/],
  [['--import', ''], /after --import is empty/],
  [['--import= '], /after --import is empty/],
  [['scan', ''], /after scan is empty/],
  [['restore'], /restore --from DIR/],
  [['restore', '--from', ' '], /after --from is empty/],
  [['export'], /export DIR/],
  [['export', ' '], /after export is empty/],
  [['gc', '--index'], /--index is an option of serve and scan and rebuild, not of gc/],
  [['serve', '--replace'], /--replace is an option of restore and import, not of serve/],
  [['backup', '--from', 'x'], /--from is an option of restore, not of backup/],
  [['--dry-run'], /--dry-run is an option of scan and gc, not of serve/],
  [['--all'], /--all is an option of enrich, not of serve/],
  [['scan', '--failed'], /--failed is an option of enrich, not of scan/],
  [['enrich', '--all', '--failed'], /--all includes --failed/],
  [['user', 'list', '--dry-run'], /--dry-run is an option of scan/],
  [['storage'], /storage migrate --to local, or --to s3/],
  [['storage', 'migrate'], /storage migrate --to local, or --to s3/],
  [['storage', 'migrate', '--to', 'elsewhere'], /storage migrate --to local, or --to s3/],
  [['storage', 'delete', '--to', 's3'], /storage migrate --to local, or --to s3/],
  [['verify', '--to', 's3'], /--to is an option of backup and storage/],
  [['gc', 'now'], /Unexpected argument "now"/],
  [['--data-dir='], /after --data-dir is empty/],
])('%j is rejected with one line', (argv, words) => {
  const refuse = (): unknown => parseCommandLine(argv);
  expect(refuse).toThrow(AppError);
  expect(refuse).toThrow(words);
  try {
    refuse();
  } catch (error) {
    expect((error as AppError).message).not.toContain('\n');
    expect((error as AppError).message).toMatch(/\.$/);
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
    expect(lines.filter((line) => line.startsWith(`  ${name} `))).toEqual([expect.stringMatching(/^ {2}\S+ +\S.{8,}/)]);
  });

  test('shows defaults', () => {
    expect(helpText()).toMatch(/^ {2}PORT .*\[4747\]$/m);
    expect(helpText()).toMatch(/^ {2}HOST .*\["127\.0\.0\.1"\]$/m);
  });
});
