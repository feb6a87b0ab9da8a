import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { LandingPage } from './landing/landing-page.tsx';
import { NotFoundPage } from './not-found/not-found-page.tsx';

/** Pages that are plain HTML for the visitor: rendered once, at build time, with no React in the browser. */
export const pages: Readonly<Record<string, () => string>> = {
  'index.html': () => renderToStaticMarkup((<LandingPage />) as ReactNode),
  '404.html': () => renderToStaticMarkup((<NotFoundPage />) as ReactNode),
};
