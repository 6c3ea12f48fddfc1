import { type ComponentProps, useId } from 'react';
import { Button } from './controls.tsx';

/** A button; with a reason it is disabled, but can have the focus and announces the reason. */
export const Explained = ({
  whyNot,
  onClick,
  ...props
}: ComponentProps<typeof Button> & { whyNot: string | undefined; onClick: () => void }) => {
  const id = useId();
  if (whyNot === undefined) return <Button {...props} onClick={onClick} />;
  return (
    <span className="explained">
      <Button {...props} aria-disabled aria-describedby={id} />
      <span role="tooltip" id={id} className="small">
        {whyNot}
      </span>
    </span>
  );
};
