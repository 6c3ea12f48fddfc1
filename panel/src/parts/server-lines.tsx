import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { bridgeUrlOf, isLoopback, readHub } from '../bridge-url.ts';
import { useTexts } from '../i18n.ts';
import { useSession } from '../session.ts';
import { Secret } from './secret.tsx';
import { Foreign } from './text.tsx';

type Place = 'here' | 'elsewhere' | '';

/** The lines for server.cfg. */
const linesOf = (url: string, token: string): string =>
  `set causeway_url "${url}"\nset causeway_token "${token}"\nadd_convar_permission causeway read causeway_token\nensure causeway`;

/** Shows the lines that connect a game server. A loopback address needs the answer that both run on one machine. */
export const ServerLines = ({ server, token, onClose }: { server: string; token: string; onClose: () => void }) => {
  const { t, rich } = useTexts();
  const { publicUrl } = useSession();
  const [place, setPlace] = useState<Place>('');
  const [typed, setTyped] = useState('');
  const known = publicUrl ?? location.origin;
  const isAsked = isLoopback(known);
  const named = readHub(typed, location.origin);
  const hub = !isAsked || place === 'here' ? known : place === 'elsewhere' ? named : undefined;
  return (
    <Secret
      title="server.cfg"
      says={rich('servers.snippet', { server: <Foreign key="server">{server}</Foreign> })}
      text={linesOf(hub === undefined ? '…' : bridgeUrlOf(hub), token)}
      isReady={hub !== undefined}
      onClose={onClose}
    >
      {isAsked ? (
        <div className="filters">
          <NativeSelect
            label={t('servers.place')}
            value={place}
            onChange={(event) => setPlace(event.currentTarget.value as Place)}
            data={[
              { value: '', label: '–' },
              { value: 'here', label: t('servers.place.here') },
              { value: 'elsewhere', label: t('servers.place.elsewhere') },
            ]}
          />
          {place === 'elsewhere' ? (
            <TextInput
              className="grow"
              label={t('servers.hubAddress')}
              placeholder="192.168.1.20"
              value={typed}
              error={typed !== '' && named === undefined ? t('servers.hubAddress.wrong') : undefined}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          ) : null}
        </div>
      ) : null}
    </Secret>
  );
};
