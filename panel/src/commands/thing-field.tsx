import type { ReactNode } from 'react';
import { Chooser, choiceOf } from '../parts/combobox.tsx';
import type { TextFieldProps } from '../parts/controls.tsx';
import { Foreign, plain } from '../parts/text.tsx';
import { type Entry, type Named, useCatalogue, useEntry, useKeepEntry } from './catalogue.ts';
import type { Catalogue } from './form.ts';

type Field = Pick<TextFieldProps, 'description' | 'error'> & { label: string };

/** Chooses one of the things that `find` offers for the typed text. */
export const NamedField = <E extends Named>({
  hint,
  ...field
}: Field & {
  chosen: string;
  find: (text: string | undefined) => readonly E[];
  hint?: ((entry: E) => ReactNode) | undefined;
  onChoose: (entry: E) => void;
  onClear?: (() => void) | undefined;
}) => (
  <Chooser
    {...field}
    choice={(entry) =>
      choiceOf(
        entry.name,
        entry.label,
        <>
          <Foreign>{entry.name}</Foreign>
          {hint?.(entry)}
        </>,
      )
    }
  />
);

/** A thing of the game, chosen from a catalogue of the server, or from what `find` offers. */
export const ThingField = ({
  serverId,
  kind,
  value,
  find,
  onChoose,
  ...field
}: Field & {
  serverId: string;
  kind: Catalogue;
  value: string;
  find?: ((text: string | undefined) => readonly Entry[]) | undefined;
  hint?: ((entry: Entry) => ReactNode) | undefined;
  onChoose: (entry: Entry) => void;
  onClear?: () => void;
}) => {
  const keep = useKeepEntry();
  const { label } = useEntry(serverId, kind, value);
  const useListed = (text: string | undefined) => useCatalogue(serverId, kind, text);
  return (
    <NamedField
      {...field}
      chosen={label}
      find={find ?? useListed}
      onChoose={(entry) => {
        keep(serverId, kind, entry);
        onChoose(entry);
      }}
    />
  );
};

export const ThingName = ({ serverId, kind, name }: { serverId: string; kind: Catalogue; name: string }) => {
  const { label } = useEntry(serverId, kind, name);
  return <strong>{name === '' ? '…' : plain(label)}</strong>;
};
