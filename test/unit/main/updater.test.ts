import { beforeEach, describe, expect, it } from 'vitest';
import { sayIn } from '../../../main/texts.ts';
import { createUpdater, type UpdateSource, type Updater } from '../../../main/updater.ts';
import { app, fake } from '../../fakes/electron.ts';
import { createManualClock, waitForTurn } from './scripted-server.ts';

const DAY_MS = 24 * 3_600_000;

/** Creates an update source that offers one version, and records its calls. */
function feed(version: string | Error) {
  const requests: string[] = [];
  const source: UpdateSource = {
    autoDownload: false,
    autoInstallOnAppQuit: true,
    logger: null,
    async checkForUpdates() {
      requests.push('look');
      if (version instanceof Error) throw version;
      return { isUpdateAvailable: version !== app.getVersion(), updateInfo: { version } };
    },
    async downloadUpdate() {
      requests.push('fetch');
    },
  };
  return { asked: requests, load: async () => source };
}

let time: ReturnType<typeof createManualClock>;
let isEnabled: boolean;

const createTestUpdater = ({ load }: ReturnType<typeof feed>): Updater =>
  createUpdater({ clock: time.clock, isWanted: () => isEnabled, say: sayIn(['en']), load });
const listMessages = (): [string, string | undefined][] =>
  fake.messages.map(({ options: { message, detail } }) => [message, detail]);

/** Presses a button in the open message. */
async function pressButton(button: string): Promise<void> {
  await waitForTurn();
  fake.messages.at(-1)?.answer(button);
  await waitForTurn();
}

beforeEach(() => {
  fake.reset();
  app.isPackaged = true;
  time = createManualClock();
  isEnabled = true;
});

describe('checking automatically', () => {
  it('happens once a day if enabled, and not in unpacked copies', async () => {
    const [packedFeed, unpackedFeed] = [feed('1.2.3'), feed('1.2.3')];
    createTestUpdater(packedFeed).start();
    app.isPackaged = false;
    createTestUpdater(unpackedFeed).start();
    for (let day = 0; day < 2; day++) await time.advance(DAY_MS);
    isEnabled = false;
    await time.advance(DAY_MS);
    expect([packedFeed.asked, unpackedFeed.asked, listMessages()]).toEqual([['look', 'look'], [], []]);
  });

  it('offers a version once, and downloads nothing when it is declined', async () => {
    const newerFeed = feed('2.0.0');
    createTestUpdater(newerFeed).start();
    await time.advance(DAY_MS);
    await pressButton('Not now');
    await time.advance(DAY_MS);
    expect(newerFeed.asked).toEqual(['look', 'look']);
    expect(listMessages()).toEqual([['Tonearm 2.0.0 is available. You have 1.2.3.', undefined]]);
  });

  it('is silent about a feed that cannot be reached', async () => {
    const brokenFeed = feed(new Error('no route'));
    createTestUpdater(brokenFeed).start();
    await time.advance(DAY_MS);
    expect([brokenFeed.asked, listMessages()]).toEqual([['look'], []]);
  });
});

describe('checking from the menu', () => {
  it('an accepted version is downloaded once, and installed at quit', async () => {
    const newerFeed = feed('2.0.0');
    const updater = createTestUpdater(newerFeed);
    void updater.check();
    await pressButton('Download');
    await pressButton('OK');
    void updater.check();
    await pressButton('OK');
    expect(newerFeed.asked).toEqual(['look', 'fetch', 'look']);
    expect(listMessages().map(([message]) => message)).toEqual([
      'Tonearm 2.0.0 is available. You have 1.2.3.',
      'Tonearm 2.0.0 has been downloaded and will be installed when you quit.',
      'Tonearm 2.0.0 has been downloaded and will be installed when you quit.',
    ]);
  });

  it('two clicks are one check', async () => {
    const newerFeed = feed('2.0.0');
    const updater = createTestUpdater(newerFeed);
    void updater.check();
    void updater.check();
    await pressButton('Not now');
    expect(newerFeed.asked).toEqual(['look']);
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
  ] as const)('says when %s', async (_title, version, isPackaged, message, detail) => {
    app.isPackaged = isPackaged;
    void createTestUpdater(feed(version)).check();
    await waitForTurn();
    expect(listMessages()).toEqual([[message, detail]]);
  });
});
