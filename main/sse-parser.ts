// Parses server-sent events from text in chunks (https://html.spec.whatwg.org/multipage/server-sent-events.html).

export interface ServerEvent {
  name: string;
  data: string;
  id: string | undefined;
}

/** The maximum length of an event. */
const MAX_EVENT_CHARACTERS = 4_000_000;

export function createSseParser(onEvent: (event: ServerEvent) => void): (text: string) => void {
  let remainder = '';
  let [name, id] = ['message', undefined as string | undefined];
  let data: string[] = [];

  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) onEvent({ name, data: data.join('\n'), id });
      [name, data] = ['message', []];
      return;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(text) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  };

  return (text) => {
    remainder += text;
    if (remainder.length > MAX_EVENT_CHARACTERS) throw new Error('The server sends an event without an end.');
    const lines = remainder.split(/\r\n|\n|\r(?!$)/);
    remainder = lines.pop() ?? '';
    lines.forEach(line);
  };
}
