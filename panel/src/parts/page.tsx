import { type ReactNode, useEffect } from 'react';
import { plain } from './text.tsx';

export const Page = ({
  title,
  line,
  actions,
  children,
}: {
  title: string;
  line?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) => {
  useEffect(() => {
    document.title = `${plain(title)} · Causeway`;
  }, [title]);
  return (
    <div className="page stack">
      <div className="page-head">
        <div className="heads">
          <h1>
            <bdi>{plain(title)}</bdi>
          </h1>
          {line}
        </div>
        <div className="row">{actions}</div>
      </div>
      {children}
    </div>
  );
};
