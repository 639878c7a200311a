// Unescapes XML entities.

const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Unescapes entities. Unknown entities stay unchanged; numbers beyond Unicode are removed. */
export const unescapeXml = (text: string): string =>
  text
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,5}));/gi,
      (entity, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? entity;
        const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
      },
    )
    .toWellFormed();
