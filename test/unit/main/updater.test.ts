import { beforeEach, describe, expect, it } from 'vitest';
import { sayIn } from '../../../main/texts.ts';
import { createUpdater, type UpdateSource, type Updater } from '../../../main/updater.ts';
import { app, fake } from '../../fakes/electron.ts';
import { stillClock, turn } from './scripted-server.ts';

const DAY_MS = 24 * 3_600_000;

/** A feed that offers one version, and its requests. */
function feed(version: string | Error) {
  const asked: string[] = [];
  const source: UpdateSource = {
    autoDownload: false,
    autoInstallOnAppQuit: true,
    logger: null,
    async checkForUpdates() {
      asked.push('look');
      if (version instanceof Error) throw version;
      return { isUpdateAvailable: version !== app.getVersion(), updateInfo: { version } };
    },
    async downloadUpdate() {
      asked.push('fetch');
    },
  };
  return { asked, load: async () => source };
}

let time: ReturnType<typeof stillClock>;
let wanted: boolean;

const updaterOn = ({ load }: ReturnType<typeof feed>): Updater =>
  createUpdater({ clock: time.clock, isWanted: () => wanted, say: sayIn(['en']), load });
const said = (): [string, string | undefined][] =>
  fake.messages.map(({ options: { message, detail } }) => [message, detail]);

/** Presses a button in the open message. */
async function press(button: string): Promise<void> {
  await turn();
  fake.messages.at(-1)?.answer(button);
  await turn();
}

beforeEach(() => {
  fake.reset();
  app.isPackaged = true;
  time = stillClock();
  wanted = true;
});

describe('checking automatically', () => {
  it('happens once a day if enabled, and not in unpacked copies', async () => {
    const [packed, unpacked] = [feed('1.2.3'), feed('1.2.3')];
    updaterOn(packed).start();
    app.isPackaged = false;
    updaterOn(unpacked).start();
    for (let day = 0; day < 2; day++) await time.advance(DAY_MS);
    wanted = false;
    await time.advance(DAY_MS);
    expect([packed.asked, unpacked.asked, said()]).toEqual([['look', 'look'], [], []]);
  });

  it('offers a version once, and downloads nothing when it is declined', async () => {
    const newer = feed('2.0.0');
    updaterOn(newer).start();
    await time.advance(DAY_MS);
    await press('Not now');
    await time.advance(DAY_MS);
    expect(newer.asked).toEqual(['look', 'look']);
    expect(said()).toEqual([['Tonearm 2.0.0 is available. You have 1.2.3.', undefined]]);
  });

  it('is silent about a feed that cannot be reached', async () => {
    const broken = feed(new Error('no route'));
    updaterOn(broken).start();
    await time.advance(DAY_MS);
    expect([broken.asked, said()]).toEqual([['look'], []]);
  });
});

describe('checking from the menu', () => {
  it('an accepted version is downloaded once, and installed at quit', async () => {
    const newer = feed('2.0.0');
    const updater = updaterOn(newer);
    void updater.check();
    await press('Download');
    await press('OK');
    void updater.check();
    await press('OK');
    expect(newer.asked).toEqual(['look', 'fetch', 'look']);
    expect(said().map(([message]) => message)).toEqual([
      'Tonearm 2.0.0 is available. You have 1.2.3.',
      'Tonearm 2.0.0 has been downloaded and will be installed when you quit.',
      'Tonearm 2.0.0 has been downloaded and will be installed when you quit.',
    ]);
  });

  it('two clicks are one check', async () => {
    const newer = feed('2.0.0');
    const updater = updaterOn(newer);
    void updater.check();
    void updater.check();
    await press('Not now');
    expect(newer.asked).toEqual(['look']);
  });

  it.each([
    ['there is none', '1.2.3', true, 'Tonearm 1.2.3 is up to date.', ''],
    ['the feed cannot be reached', new Error('no route'), true, 'The update failed.', 'no route'],
    [
      'nobody said where it is published',
      Object.assign(new Error('Unsupported provider: undefined'), { code: 'ERR_UPDATER_UNSUPPORTED_PROVIDER' }),
      true,
      'This copy of Tonearm has no update source.',
      'Update it the way you installed it.',
    ],
    [
      'it holds no address at all',
      Object.assign(new Error("ENOENT: no such file or directory, open '/app/app-update.yml'"), { code: 'ENOENT' }),
      true,
      'This copy of Tonearm has no update source.',
      'Update it the way you installed it.',
    ],
    [
      'the copy is not packed',
      '2.0.0',
      false,
      'This is not an installed copy of Tonearm.',
      'Update it the way you installed it.',
    ],
  ] as const)('says when %s', async (_when, version, isPackaged, message, detail) => {
    app.isPackaged = isPackaged;
    void updaterOn(feed(version)).check();
    await turn();
    expect(said()).toEqual([[message, detail]]);
  });
});
