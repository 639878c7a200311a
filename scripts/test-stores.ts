// npm run test:stores: runs the tests of the storage against S3 servers of different makers, which are installed from
// package registries. Names as arguments restrict the run to these servers. --quick runs only the tests of the storage
// itself, without libraries and faults; --install only installs the servers. Servers whose tool is not installed are
// skipped and listed at the end.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installS3Server, S3_MAKES, startS3Server, type S3Server } from '../test/support/s3-servers.ts';

const QUICK_OPTION = '--quick';
const INSTALL_OPTION = '--install';
const TEST_FILES = [
  'storage-s3.test.ts',
  ...(process.argv.includes(QUICK_OPTION) ? [] : ['store-library.test.ts', 'store-faults.test.ts']),
].map((name) => `test/integration/${name}`);

function test({ endpoint, bucket, keys, virtualHost, lacksConditions, stop }: S3Server): boolean {
  try {
    const { status } = spawnSync('npx', ['vitest', 'run', ...TEST_FILES, '-t', endpoint], {
      cwd: join(import.meta.dirname, '..'),
      stdio: 'inherit',
      env: {
        ...process.env,
        S3_TEST_ENDPOINT: endpoint,
        S3_TEST_BUCKET: bucket,
        S3_TEST_ACCESS_KEY_ID: keys.accessKeyId,
        S3_TEST_SECRET_ACCESS_KEY: keys.secretAccessKey,
        ...(virtualHost !== undefined && { S3_TEST_VIRTUAL_HOST: virtualHost }),
        ...(lacksConditions && { S3_TEST_LACKS_CONDITIONS: 'true' }),
      },
    });
    return status === 0;
  } finally {
    stop();
  }
}

const names = process.argv.slice(2).filter((argument) => ![QUICK_OPTION, INSTALL_OPTION].includes(argument));
const makes = S3_MAKES.filter(({ name }) => names.length === 0 || names.includes(name));
if (process.argv.includes(INSTALL_OPTION)) {
  for (const make of makes) installS3Server(make);
  process.exit();
}
const outcomes: string[] = [];
for (const make of makes) {
  const server = await startS3Server(make);
  const outcome = typeof server === 'string' ? `NOT TESTED: ${server}` : test(server) ? 'passed' : 'FAILED';
  outcomes.push(`${make.name}: ${outcome}`);
}
console.log(`\nS3 servers\n${outcomes.map((line) => `  ${line}`).join('\n')}`);
const passedCount = outcomes.filter((line) => line.endsWith('passed')).length;
const isFailed = outcomes.some((line) => line.endsWith('FAILED'));
// servers that were named on the command line must be tested
process.exitCode = isFailed || passedCount < (names.length === 0 ? 1 : names.length) ? 1 : 0;
