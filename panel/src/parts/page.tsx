import { type ReactNode, useEffect } from 'react';
import { plain } from './text.tsx';

/** A page with its title. */
export const Page = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => {
  useEffect(() => {
    document.title = `${plain(title)} · Causeway`;
  }, [title]);
  return (
    <div className="page stack">
      <div className="page-head">
        <h1>
          <bdi>{plain(title)}</bdi>
        </h1>
        <div className="row">{actions}</div>
      </div>
      {children}
    </div>
  );
};
