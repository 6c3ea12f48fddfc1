import { useState } from 'react';
import { useTexts } from '../i18n.ts';
import { MessageField } from '../parts/common-fields.tsx';
import { TextField } from '../parts/controls.tsx';
import { PlayerFilter } from '../parts/player-filter.tsx';
import { type OrderProps, OrderShell } from './shell.tsx';

/** Kicks the player. */
export const KickOrder = (props: OrderProps<'kick'>) => (
  <OrderShell {...props} kind="kick" reason="needed" body={(common) => common} />
);

/** Revives or heals the player. */
export const CareOrder = (props: OrderProps<'revive' | 'heal'>) => (
  <OrderShell {...props} kind={props.draft.name} body={(common) => common} />
);

/** Freezes the player, or lets them move again. */
export const FreezeOrder = (props: OrderProps<'freeze'>) => {
  const { frozen } = props.draft;
  return <OrderShell {...props} kind={frozen ? 'freeze' : 'unfreeze'} body={(common) => ({ ...common, frozen })} />;
};

/** Shows the player a text. */
export const MessageOrder = (props: OrderProps<'message'>) => {
  const { message: first = '' } = props.draft;
  const [message, setMessage] = useState(first);
  const text = message.trim();
  return (
    <OrderShell
      {...props}
      kind="message"
      reason="none"
      isTyped={message !== first}
      body={({ target }) => (text === '' ? undefined : { target, message: text })}
    >
      {(isTouched) => <MessageField value={message} isTouched={isTouched} data-autofocus onChange={setMessage} />}
    </OrderShell>
  );
};

const COORDINATES = /^\s*(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)\s*$/;

const readPlace = (text: string): { x: number; y: number; z: number } | undefined => {
  const [, x, y, z] = COORDINATES.exec(text) ?? [];
  return z === undefined ? undefined : { x: Number(x), y: Number(y), z: Number(z) };
};

/** Moves the player to another one, or to a place. */
export const TeleportOrder = (props: OrderProps<'teleport'>) => {
  const { t } = useTexts();
  const { serverId } = props.player;
  const { to: first } = props.draft;
  const firstOther = first !== undefined && 'player' in first ? first.player : undefined;
  const firstPlace = first !== undefined && 'x' in first ? `${first.x}, ${first.y}, ${first.z}` : '';
  const [other, setOther] = useState(firstOther);
  const [place, setPlace] = useState(firstPlace);
  const to = other === undefined ? readPlace(place) : { player: other };
  return (
    <OrderShell
      {...props}
      kind="teleport"
      isTyped={other !== firstOther || place !== firstPlace}
      body={(common) => to && { ...common, to }}
    >
      {(isTouched) => (
        <>
          <PlayerFilter target={other} name={undefined} serverId={serverId} onChange={setOther} />
          <TextField
            label={t('dialog.place')}
            placeholder="10, 20, 30"
            value={place}
            maxLength={64}
            disabled={other !== undefined}
            error={isTouched && to === undefined ? t('dialog.place.wrong') : undefined}
            onChange={setPlace}
          />
        </>
      )}
    </OrderShell>
  );
};
