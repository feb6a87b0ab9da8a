import './console.css';
import './page-edges.css';
import './screens.css';
import './people/people.css';
import './bulks/bulks.css';
import './payments/payments.css';
import './reports/reports.css';
import './reach/reach.css';
import './books/books.css';
import './fleet/fleet.css';
import './gift-cards/gift-cards.css';
import './today.css';
import './alerts/alerts.css';
import './deliveries/deliveries.css';
import './settings/settings.css';
import './plans/plans.css';
import { createRoot } from 'react-dom/client';
import { overwriteGetLocale } from '../text/generated/runtime.js';
import { currentLocale, textDirection } from '../text/locale.ts';
import { App } from './app.tsx';

const locale = currentLocale();
overwriteGetLocale(() => locale);
document.documentElement.lang = locale;
document.documentElement.dir = textDirection();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
