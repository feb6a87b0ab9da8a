import { currentLocale } from '../../text/locale.ts';
import { english } from './landing-english.ts';
import { persian } from './landing-persian.ts';

export const landingText = () => (currentLocale() === 'fa' ? persian : english);
