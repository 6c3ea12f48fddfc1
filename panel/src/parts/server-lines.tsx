import { useState } from 'react';
import { bridgeUrlOf, isLoopback, isPrivate, readHub } from '../bridge-url.ts';
import { useTexts } from '../i18n.ts';
import { useSession } from '../session.ts';
import { Note, SelectField, TextField } from './controls.tsx';
import { Copy } from './copy.tsx';

type Place = 'here' | 'elsewhere' | '';

const WRONG_TEXTS = { address: 'servers.hubAddress.wrong', path: 'servers.hubAddress.path' } as const;

/** The lines for server.cfg. */
const linesOf = (url: string, token: string): string =>
  `set causeway_url "${url}"\nset causeway_token "${token}"\nadd_convar_permission causeway read causeway_token\nensure causeway`;

/**
 * The lines that connect a game server, with an address that it can reach. A loopback address needs the answer that both
 * run on one machine. Without a token, its place is marked.
 */
export const ServerLines = ({ token }: { token: string | undefined }) => {
  const { t } = useTexts();
  const { publicUrl, listensHereOnly } = useSession();
  const [place, setPlace] = useState<Place>('');
  const [typed, setTyped] = useState('');
  const known = publicUrl ?? location.origin;
  const isAsked = isLoopback(known);
  const named = readHub(typed, location.origin);
  const hub = !isAsked || place === 'here' ? known : place === 'elsewhere' ? named.origin : undefined;
  const lines = linesOf(hub === undefined ? '…' : bridgeUrlOf(hub), token ?? 'cwb_…');
  return (
    <div className="stack">
      {isAsked ? (
        <>
          <div className="filters">
            <SelectField
              label={t('servers.place')}
              value={place}
              onChange={(value) => setPlace(value)}
              options={[
                ['', '–'],
                ['here', t('servers.place.here')],
                ['elsewhere', t('servers.place.elsewhere')],
              ]}
            />
            {place === 'elsewhere' ? (
              <TextField
                className="grow"
                label={t('servers.hubAddress')}
                placeholder="192.168.1.20"
                value={typed}
                error={typed === '' || named.wrong === undefined ? undefined : t(WRONG_TEXTS[named.wrong])}
                onChange={setTyped}
              />
            ) : null}
          </div>
          {place === 'elsewhere' && listensHereOnly ? (
            <Note ink="wait" role="alert">
              {t('connect.hereOnly')}
            </Note>
          ) : null}
          {place === 'here' ? <p className="dim small">{t('connect.loopback')}</p> : null}
        </>
      ) : null}
      {hub?.startsWith('http:') === true && !isPrivate(hub) ? (
        <Note ink="wait" role="alert">
          {t('connect.plain')}
        </Note>
      ) : null}
      <pre className="secret">{lines}</pre>
      {token === undefined ? <p className="dim small">{t('connect.noToken')}</p> : null}
      {hub !== undefined && token !== undefined ? (
        <div className="row end">
          <Copy text={lines} label={t('common.copy')} isSmall={false} />
        </div>
      ) : null}
    </div>
  );
};
