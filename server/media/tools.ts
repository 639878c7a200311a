// Finds the optional external programs, and checks that they run.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { childEnvironment } from '../runtime/child-environment.ts';
import { AppError } from '../errors.ts';

export type ToolName = 'ffmpeg' | 'fpcalc' | 'yt-dlp';
export interface Tool {
  path: string;
  version: string;
}

interface ToolKind {
  setting: string;
  versionArgs: string[];
  version: RegExp;
}

const TOOL_KINDS: Record<ToolName, ToolKind> = {
  ffmpeg: { setting: 'FFMPEG_PATH', versionArgs: ['-hide_banner', '-version'], version: /^ffmpeg version (\S+)/ },
  fpcalc: { setting: 'FPCALC_PATH', versionArgs: ['-version'], version: /^fpcalc version (\S+)/ },
  'yt-dlp': { setting: 'STREAMSRC_COMMAND', versionArgs: ['--version'], version: /^(\d{4}\.\d\d\.\d\d\S*)/ },
};

/** A generous time limit: yt-dlp is a Python program and starts slowly from a slow disk. */
const VERSION_TIMEOUT_MS = 15_000;
/** A missing program is looked for again after this time, because it may have been installed. */
const ABSENT_CACHE_MS = 60_000;

interface ToolFinderDeps {
  /** Folder of the programs shipped with the app, resources/bin. */
  binDir: string;
  env?: Record<string, string | undefined>;
  now?: () => Date;
}

export type FindTool = ReturnType<typeof createToolFinder>;

/**
 * Creates a function that finds programs. It tries only the configured path if there is one, else resources/bin, then
 * PATH. Results are cached.
 */
export function createToolFinder({ binDir, env = process.env, now = () => new Date() }: ToolFinderDeps) {
  const cachedTools = new Map<string, { tool: Promise<Tool | undefined>; expiresMs: number }>();

  async function locateTool(name: ToolName, configuredPath: string | undefined): Promise<Tool | undefined> {
    if (configuredPath !== undefined && (isAbsolute(configuredPath) || /[\\/]/.test(configuredPath)))
      return atConfigured(name, configuredPath);
    const file = configuredPath ?? name; // a bare name is looked up in PATH, as in a shell
    const folders = [
      ...(configuredPath === undefined ? [binDir] : []),
      ...(env['PATH'] ?? env['Path'] ?? '').split(delimiter),
    ];
    for (const folder of folders.filter((path) => isAbsolute(path))) {
      const tool = await tryRun(name, join(folder, withEnding(file)));
      if (tool) return tool;
    }
    if (configuredPath !== undefined) throw notWorkingError(name, 'not found in PATH');
    return undefined;
  }

  /**
   * Finds a program; returns undefined if it is not installed. Throws `unavailable` if `configuredPath` does not work.
   */
  return function findTool(name: ToolName, configuredPath?: string): Promise<Tool | undefined> {
    const key = `${name}:${configuredPath ?? ''}`;
    const cached = cachedTools.get(key);
    if (cached && cached.expiresMs > now().getTime()) return cached.tool;
    const entry = { tool: locateTool(name, configuredPath), expiresMs: Infinity };
    cachedTools.set(key, entry);
    const forgetSoon = (): void => {
      entry.expiresMs = now().getTime() + ABSENT_CACHE_MS;
    };
    entry.tool.then((tool) => {
      if (!tool) forgetSoon();
    }, forgetSoon);
    return entry.tool;
  };
}

async function atConfigured(name: ToolName, path: string): Promise<Tool> {
  const file = resolve(path);
  try {
    await access(file, constants.X_OK);
  } catch (cause) {
    throw notWorkingError(name, isMissing(cause) ? 'no such file' : 'not executable', cause);
  }
  const tool = await tryRun(name, file);
  if (!tool) throw notWorkingError(name, `it does not report a version like ${name}`);
  return tool;
}

/** Runs the program; returns undefined unless it reports its version. */
async function tryRun(name: ToolName, path: string): Promise<Tool | undefined> {
  try {
    await access(path, constants.X_OK);
  } catch {
    return undefined;
  }
  const { versionArgs, version } = TOOL_KINDS[name];
  const output = await new Promise<string>((settle) => {
    execFile(
      path,
      versionArgs,
      { env: childEnvironment(), timeout: VERSION_TIMEOUT_MS, maxBuffer: 64 * 1024, windowsHide: true },
      (error, stdout) => settle(error ? '' : stdout),
    );
  });
  const match = version.exec(output.trim());
  return match?.[1] === undefined ? undefined : { path, version: match[1] };
}

const notWorkingError = (name: ToolName, reason: string, cause?: unknown): AppError =>
  new AppError('unavailable', `${TOOL_KINDS[name].setting} does not point to a working ${name}: ${reason}.`, { cause });

const withEnding = (file: string): string =>
  process.platform === 'win32' && !/\.(exe|cmd|bat)$/i.test(file) ? `${file}.exe` : file;
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
