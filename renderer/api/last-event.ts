// The last event before the first answer of this page: its event stream begins there, so that no change is missed
// between an answer and the opening of the stream. Later connections refresh what is shown.
let first: string | undefined;
let isUsed = false;

export function noteLastEvent(id: string | null): void {
  if (!isUsed) first ??= id ?? undefined;
}

export function firstEventId(): string | undefined {
  const id = isUsed ? undefined : first;
  isUsed = true;
  return id;
}
