// The page of a share, for people without an account: the built share.html with the state of the share, and with a
// preview for messengers. Everything else the page fetches itself.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import { baseOf } from '../http/base-url.ts';
import { escapeHtml as escape } from '../http/html.ts';
import { isAbsent } from '../storage/file-errors.ts';

type PageState = 'open' | 'locked' | 'expired' | 'ended' | 'unknown';

/** What messengers show of a share without a password. */
interface Preview {
  name: string | null;
  artistName: string | null;
  trackCount: number;
  hasCover: boolean;
}

const PAGE_STATUSES: Record<PageState, number> = { open: 200, locked: 200, expired: 410, ended: 410, unknown: 404 };

/** Texts of previews, which messengers show before the page can translate anything; English unless listed here. */
const PREVIEW_TEXTS = {
  en: { title: 'Shared music', tracks: (count: number) => (count === 1 ? '1 track' : `${count} tracks`) },
  de: { title: 'Geteilte Musik', tracks: (count: number) => `${count} Titel` },
};
type PreviewLanguage = keyof typeof PREVIEW_TEXTS;
const LANGUAGES = Object.keys(PREVIEW_TEXTS) as PreviewLanguage[];
const isLanguage = (language: string | false): language is PreviewLanguage =>
  LANGUAGES.some((candidate) => candidate === language);

/** Both are in renderer/share.html. */
const STATE_TAG = '<meta name="share" content="" />';
const TITLE_TAG = '<title>Tonearm</title>';
const NOT_BUILT = 'The web interface has not been built. Run "npm run build" and restart the server.\n';

interface SharePage {
  token: string;
  state: PageState;
  /** The end of an expired share. */
  expiresAt?: Date | null | undefined;
  preview?: Preview | undefined;
}

/** Returns whether the request is for a page and not for data: browsers name HTML when they open an address. */
export const wantsPage = (req: Request): boolean => (req.headers.accept ?? '').includes('text/html');

/** Sends the page. It names neither the music nor its owner unless the share is open. */
export async function sendSharePage(
  req: Request,
  res: Response,
  rendererDir: string,
  { token, state, expiresAt, preview }: SharePage,
): Promise<void> {
  const template = await readFile(join(rendererDir, 'share.html'), 'utf8').catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (template === undefined) return void res.status(503).type('text/plain').end(NOT_BUILT);
  const language = req.acceptsLanguages(LANGUAGES);
  const texts = PREVIEW_TEXTS[isLanguage(language) ? language : 'en'];
  const title = preview?.name ?? texts.title;
  const tags = [
    `<title>${escape(state === 'open' || state === 'locked' ? title : 'Tonearm')}</title>`,
    `<meta name="share" content="${state}"${expiresAt ? ` data-until="${expiresAt.toISOString()}"` : ''} />`,
    ...(state === 'open' || state === 'locked' ? previewTags() : []),
  ];

  function previewTags(): string[] {
    const facts = preview && [preview.artistName, texts.tracks(preview.trackCount)].filter(Boolean).join(' · ');
    const address = `${baseOf(req)}/share/${token}`;
    const properties: [string, string][] = [
      ['og:site_name', 'Tonearm'],
      ['og:type', 'website'],
      ['og:url', address],
      ['og:title', title],
      ...(facts ? ([['og:description', facts]] satisfies [string, string][]) : []),
      ...(preview?.hasCover ? ([['og:image', `${address}/cover`]] satisfies [string, string][]) : []),
    ];
    return properties.map(([property, content]) => `<meta property="${property}" content="${escape(content)}" />`);
  }

  res
    .status(PAGE_STATUSES[state])
    .set({
      'Cache-Control': 'private, no-store',
      'Content-Type': 'text/html; charset=utf-8',
      'X-Robots-Tag': 'noindex',
      Vary: 'Accept, Accept-Language',
    })
    // a function, because a title may contain $&
    .end(template.replace(TITLE_TAG, '').replace(STATE_TAG, () => tags.join('\n    ')));
}
