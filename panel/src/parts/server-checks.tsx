import { useTexts } from '../i18n.ts';
import { useServers } from '../queries.ts';
import { CheckField } from './controls.tsx';
import { plain } from './text.tsx';

/** The list with a value that was not in it, or without it. */
export const toggled = <T,>(list: readonly T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value];

/** Some of the game servers, or none for all. Nothing where there is only one. */
export const ServerChecks = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (servers: string[]) => void;
}) => {
  const { t } = useTexts();
  const { data: servers = [] } = useServers();
  if (servers.length < 2) return null;
  return (
    <fieldset>
      <legend>{t('keys.servers')}</legend>
      <div className="checks">
        {servers.map(({ serverId, name }) => (
          <CheckField
            key={serverId}
            label={plain(name)}
            checked={chosen.includes(serverId)}
            onChange={() => onChange(toggled(chosen, serverId))}
          />
        ))}
      </div>
    </fieldset>
  );
};
