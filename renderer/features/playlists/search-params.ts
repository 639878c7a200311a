/** Whether the versions of a playlist are shown, and which of them. */
export function parsePlaylistSearch(input: Record<string, unknown>): { versions?: true; version?: number } {
  const version = /^[1-9]\d{0,9}$/.test(String(input['version'])) ? Number(input['version']) : undefined;
  return {
    ...((version !== undefined || String(input['versions']) === 'true') && { versions: true as const }),
    ...(version !== undefined && { version }),
  };
}
