// Renders the page of a share, for people without an account: each track with the browser's own player, and no scripts.
import { hash } from 'node:crypto';
import { escapeHtml as escape } from '../http/html.ts';

export interface SharedTrack {
  title: string;
  artistName: string | null;
  durationMs: number | null;
  address: string;
}
interface SharedPage {
  description: string | null;
  username: string;
  /** Address of a zip file with all tracks. */
  zip: string | undefined;
  tracks: AsyncIterable<readonly SharedTrack[]>;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
p { margin: .25rem 0 2rem; opacity: .7; }
ol { padding: 0; list-style: none; }
li { padding: 1rem 0; border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
li span { opacity: .7; }
audio { width: 100%; margin-top: .5rem; }
`;

/** Content security policy of the page: allows the inline style by its hash, and audio from this server. */
export const SHARE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export async function* sharePage({ description, username, zip, tracks }: SharedPage): AsyncGenerator<string> {
  yield `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(description ?? 'Shared music')}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escape(description ?? 'Shared music')}</h1>
<p>Shared by ${escape(username)} from Tonearm${zip === undefined ? '' : ` · ${link(zip)}`}</p>
<ol>
`;
  for await (const pageOfTracks of tracks) yield `${pageOfTracks.map(item).join('\n')}\n`;
  yield `</ol>
</main></body></html>
`;
}

const link = (address: string): string =>
  `<a href="${escape(address)}">Download all</a> (<a href="${escape(address)}?format=mp3">as MP3</a>)`;

function item({ title, artistName, address }: SharedTrack): string {
  const artist = artistName === null ? '' : ` <span>${escape(artistName)}</span>`;
  const player = `<audio controls preload="none" src="${escape(address)}" aria-label="${escape(title)}"></audio>`;
  return `<li>${escape(title)}${artist}${player}</li>`;
}
