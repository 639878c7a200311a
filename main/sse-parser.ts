// Parses server-sent events from text in chunks (https://html.spec.whatwg.org/multipage/server-sent-events.html).

export interface ServerEvent {
  name: string;
  data: string;
  id: string | undefined;
}

/** The longest event accepted. */
const LONGEST = 4_000_000;

export function createSseParser(take: (event: ServerEvent) => void): (text: string) => void {
  let rest = '';
  let [name, id] = ['message', undefined as string | undefined];
  let data: string[] = [];

  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) take({ name, data: data.join('\n'), id });
      [name, data] = ['message', []];
      return;
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(text) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  };

  return (text) => {
    rest += text;
    if (rest.length > LONGEST) throw new Error('The server sends an event without an end.');
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    lines.forEach(line);
  };
}
