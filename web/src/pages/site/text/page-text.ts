import { currentLocale } from '../../../text/locale.ts';
import { english } from './english.ts';
import { persian } from './persian.ts';
import type { PageTexts } from './prose.ts';

export const pageText = (): PageTexts => (currentLocale() === 'fa' ? persian : english);
