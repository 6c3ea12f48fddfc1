import type { Command } from '../api.ts';
import { useTexts } from '../i18n.ts';
import { stateOf } from '../outcomes.ts';

export const Status = ({
  command,
  title,
}: {
  command: Pick<Command, 'name' | 'status'>;
  title?: string | undefined;
}) => {
  const { t } = useTexts();
  const { word, ink } = stateOf(command);
  return (
    <span className={`state ${ink}`} title={title}>
      {t(word)}
    </span>
  );
};
