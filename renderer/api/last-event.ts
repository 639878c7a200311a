// Id of the last event before the first API response of this page. The event stream begins there, so that no change is
// missed between a response and the opening of the stream. Later connections refetch the displayed data instead.
let firstId: string | undefined;
let isUsed = false;

export function noteLastEvent(id: string | null): void {
  if (!isUsed) firstId ??= id ?? undefined;
}

export function firstEventId(): string | undefined {
  const id = isUsed ? undefined : firstId;
  isUsed = true;
  return id;
}
