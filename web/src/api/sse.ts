/**
 * Reads server-sent events (HTML Living Standard, section 9.2.6) from text as it arrives in pieces of any size.
 * Returns the `data` of each complete event, with its lines joined; comments and other fields are dropped.
 */
export function createEventParser(): (chunk: string) => string[] {
  let rest = '';
  let data: string[] = [];
  return (chunk) => {
    const events: string[] = [];
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push(data.join('\n'));
        data = [];
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
    return events;
  };
}
