/** Gives each heading of one page its anchor, as repositories on the web do: `#what-is-sent`, `#what-is-sent-1`. */
export const createAnchors = (): ((heading: string) => string) => {
  const taken = new Map<string, number>();
  return (heading) => {
    const base = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = taken.get(base) ?? 0;
    taken.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
};

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, also inside of attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
