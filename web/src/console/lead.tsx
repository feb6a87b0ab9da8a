import { type ReactNode, useEffect } from 'react';
import { brandName } from '../text/site-values.ts';

/** The finding with which a screen opens, and the main thing that one does here. */
export function Lead({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} | ${brandName()}`;
  }, [title]);
  return (
    <div className="c-lead">
      <div>
        <h1>{title}</h1>
        {text ? <p>{text}</p> : null}
      </div>
      {children}
    </div>
  );
}
