import { hubNow } from '../clock.ts';
import { useTexts } from '../i18n.ts';
import { createStore } from '../store.ts';

const now = createStore(hubNow());
window.setInterval(() => now.set(hubNow()), 1_000);
/** The time by the hub's clock, which goes on. */
export const useNow = now.use;

/** The age of a time, kept up to date; the exact time with its zone is in its title. */
export const Ago = ({ iso, isShort = false }: { iso: string; isShort?: boolean }) => {
  const { ago, exact } = useTexts();
  const text = now.useOf((at) => ago(iso, at, isShort));
  return (
    <time dateTime={iso} title={exact(iso)}>
      {text}
    </time>
  );
};
