// The accent of a page or bar with a cover: the image is sampled on a small canvas, and the accent is returned as CSS
// variables.
import { useEffect, useState, type CSSProperties } from 'react';
import { accentFor, dominantColour } from './accent.ts';
import type { Oklch } from './colour.ts';
import { useScheme } from './scheme.ts';

const CANVAS_SIDE = 32;
const accents = new Map<string, Promise<Oklch | null>>();

/** Draws the image on a canvas of 32 × 32 pixels. Rejects if the image cannot be loaded. */
export async function drawSmall(src: string): Promise<CanvasRenderingContext2D | null> {
  const image = new Image();
  image.src = src;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = CANVAS_SIDE;
  canvas.height = CANVAS_SIDE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context?.drawImage(image, 0, 0, CANVAS_SIDE, CANVAS_SIDE);
  return context;
}

async function sample(src: string): Promise<Oklch | null> {
  const context = await drawSmall(src);
  return context && dominantColour(context.getImageData(0, 0, CANVAS_SIDE, CANVAS_SIDE).data);
}

function sampleOnce(src: string): Promise<Oklch | null> {
  const cached = accents.get(src);
  if (cached) return cached;
  const newAccent = sample(src).catch(() => null);
  accents.set(src, newAccent);
  return newAccent;
}

/**
 * Returns the CSS variables; empty until the cover is loaded, and for covers without colour, whose pages are neutral.
 */
export function useArtworkAccent(src: string | null): CSSProperties {
  const scheme = useScheme();
  const [sampled, setSampled] = useState<{ src: string; colour: Oklch | null } | null>(null);
  useEffect(() => {
    if (!src) return undefined;
    let stale = false;
    void sampleOnce(src).then((colour) => {
      if (!stale) setSampled({ src, colour });
    });
    return () => {
      stale = true;
    };
  }, [src]);
  if (!src || sampled?.src !== src || !sampled.colour) return {};
  const { accent, onAccent, accentText, wash } = accentFor(sampled.colour, scheme);
  return { '--accent': accent, '--on-accent': onAccent, '--accent-text': accentText, '--wash': wash } as CSSProperties;
}
