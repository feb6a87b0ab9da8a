/** The start of the panel, in one file: what is around its screens, and the first of them. */
export { default as DashboardPage } from '../pages/user/dashboard/dashboard-page.tsx';
export { default as PanelLayout } from './panel-layout.tsx';
