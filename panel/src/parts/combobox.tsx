import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useTexts } from '../i18n.ts';
import { TextField, type TextFieldProps } from './controls.tsx';
import { Foreign, plain } from './text.tsx';

export type Choice = { key: string; content: ReactNode };

/**
 * A text field with a list of choices below it. Enter takes the marked one, unless Ctrl is down, which sends in a dialog;
 * the arrow keys mark another.
 */
export const Combobox = ({
  name,
  value,
  choices,
  className = 'choosing',
  says,
  more,
  isTyping = false,
  isHeld = false,
  onType,
  onChoose,
  onEscape,
  ...input
}: Omit<TextFieldProps, 'onChange' | 'name'> & {
  name: string;
  choices: readonly Choice[];
  /** Between the field and the list. */
  says?: ReactNode;
  more?: string | undefined;
  /** The text is not that of the choice. */
  isTyping?: boolean;
  /** The form is not sent before the field is left. */
  isHeld?: boolean;
  onType: (text: string) => void;
  onChoose: (index: number) => void;
  /** Of a list that closes by itself. */
  onEscape?: () => void;
}) => {
  const list = useId();
  /** The key of the choice that the arrow keys have marked: another answer may have it at another place. */
  const [active, setActive] = useState<string>();
  const isOpen = choices.length > 0;
  const marked = Math.max(
    choices.findIndex(({ key }) => key === active),
    0,
  );
  const choose = (index: number): void => {
    setActive(undefined);
    onChoose(index);
  };
  const press = (event: KeyboardEvent): void => {
    // Text that nothing was chosen for must not send what was chosen before.
    const sends = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && isTyping && (!isOpen || (isHeld && sends))) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (!isOpen) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive(choices[(marked + step + choices.length) % choices.length]?.key);
    }
    if (event.key === 'Enter' && !sends) {
      // The form is not sent by the key that chooses.
      event.preventDefault();
      choose(marked);
    }
    if (event.key === 'Escape' && onEscape !== undefined) {
      event.stopPropagation();
      onEscape();
    }
  };
  return (
    <div className={className}>
      <TextField
        {...input}
        value={value}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? list : undefined}
        aria-activedescendant={isOpen ? `${list}-${marked}` : undefined}
        onChange={(text) => {
          setActive(undefined);
          onType(text);
        }}
        onKeyDown={press}
      />
      {says}
      {isOpen ? (
        <div role="listbox" id={list} aria-label={name} className="choices">
          {choices.map(({ key, content }, index) => (
            <div
              key={key}
              role="option"
              id={`${list}-${index}`}
              tabIndex={-1}
              aria-selected={index === marked}
              onMouseDown={(event) => {
                // The focus stays in the field.
                event.preventDefault();
                if (event.button === 0) choose(index);
              }}
            >
              {content}
            </div>
          ))}
          {more === undefined ? null : (
            <div role="option" aria-disabled="true" aria-selected="false" className="dim small" tabIndex={-1}>
              {more}
            </div>
          )}
        </div>
      ) : null}
    </div>
  );
};

/** A thing in a list: its label, and what tells it apart from others. */
export const choiceOf = (key: string, label: string, about: ReactNode): Choice => ({
  key,
  content: (
    <>
      <Foreign isStrong>{label}</Foreign>
      <span className="dim small">{about}</span>
    </>
  ),
});

const SHOWN = 6;

/** Chooses one of the things that `find` offers for the typed text. */
export const Chooser = <E,>({
  label,
  chosen,
  find,
  choice,
  onChoose,
  onClear,
  onLeft,
  ...field
}: Omit<TextFieldProps, 'onChange' | 'name' | 'value' | 'label'> & {
  label: string;
  /** The chosen thing, in words. */
  chosen: string;
  /** A hook. Undefined: the user is not typing. */
  find: (text: string | undefined) => readonly E[];
  choice: (entry: E) => Choice;
  onChoose: (entry: E) => void;
  /** The user has deleted the text. */
  onClear?: (() => void) | undefined;
  /** The user has left a text without a choice; `entries`: what it finds. Undefined: what was chosen before stays. */
  onLeft?: ((text: string, entries: readonly E[]) => void) | undefined;
}) => {
  const { t } = useTexts();
  /** Undefined: the user is not typing, and the field shows what is chosen. */
  const [typed, setTyped] = useState<string>();
  const entries = find(typed);
  const isTyping = typed !== undefined && typed.trim() !== '';
  const leave = (): void => setTyped(undefined);
  return (
    <Combobox
      {...field}
      name={label}
      label={label}
      value={typed ?? plain(chosen)}
      isTyping={isTyping}
      isHeld={onLeft !== undefined}
      maxLength={128}
      more={entries.length > SHOWN ? t('players.pickMore') : undefined}
      choices={entries.slice(0, SHOWN).map(choice)}
      onType={(text) => {
        setTyped(text);
        if (text === '') onClear?.();
      }}
      onChoose={(index) => {
        const entry = entries[index];
        if (entry === undefined) return;
        leave();
        onChoose(entry);
      }}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={() => {
        leave();
        if (isTyping) onLeft?.(typed.trim(), entries);
      }}
      onEscape={leave}
    />
  );
};
