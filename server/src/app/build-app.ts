import { join } from 'node:path';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { NODE_BASE, nodeEndpoints } from '@raha/contract/node/protocol.ts';
import { openapi, publicAccess } from '@raha/contract/openapi.ts';
import { currency } from '@raha/contract/public/currency.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { version } from '@raha/contract/version.ts';
import type { FastifyInstance } from 'fastify';
import { outboxPage } from '../adapters/mail/outbox-page.ts';
import { TEST_SMS_PATH, testSms } from '../adapters/sms/test-sms.ts';
import { TEST_STORE_PATH, testStore } from '../adapters/stores/test-store.ts';
import { mountTestBanks } from '../adapters/test-bank/test-banks.ts';
import { alertRoutes } from '../modules/alerts/routes.ts';
import { reportRoutes } from '../modules/billing/routes.ts';
import { familyRoutes } from '../modules/configs/family-routes.ts';
import { readsAhead as configReadsAhead, configRoutes, connectionRoutes } from '../modules/configs/routes.ts';
import { serverRoutes } from '../modules/configs/server-routes.ts';
import { approvalRoutes } from '../modules/console/approval-routes.ts';
import { bookRoutes } from '../modules/console/book-routes.ts';
import { bulkRoutes } from '../modules/console/bulk-routes.ts';
import { cardRoutes } from '../modules/console/card-routes.ts';
import { deliveryRoutes } from '../modules/console/delivery-routes.ts';
import { entryRoutes } from '../modules/console/entry-routes.ts';
import { fleetRoutes } from '../modules/console/fleet-routes.ts';
import { moneyRoutes } from '../modules/console/money-routes.ts';
import { paymentRoutes as staffPaymentRoutes } from '../modules/console/payment-routes.ts';
import { reachMapRoutes } from '../modules/console/reach-routes.ts';
import { reportRoutes as staffReportRoutes } from '../modules/console/report-routes.ts';
import { peopleRoutes } from '../modules/console/routes.ts';
import { todayRoutes } from '../modules/console/today-routes.ts';
import { currencyRoutes } from '../modules/currency/routes.ts';
import { figureRoutes } from '../modules/dashboard/figure-routes.ts';
import { readsAhead as dashboardReadsAhead, dashboardRoutes } from '../modules/dashboard/routes.ts';
import { authenticateNode } from '../modules/fleet/node-caller.ts';
import type { Node } from '../modules/fleet/nodes.ts';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { giftCardRoutes } from '../modules/gift-cards/routes.ts';
import { storeRoutes } from '../modules/gift-cards/store-routes.ts';
import { invoiceRoutes } from '../modules/invoices/routes.ts';
import { notificationRoutes } from '../modules/notifications/routes.ts';
import { paymentRoutes } from '../modules/payments/routes.ts';
import { subscriptionRoutes } from '../modules/plan-sales/routes.ts';
import { priceRoutes } from '../modules/pricing/routes.ts';
import { profileRoutes } from '../modules/profile/routes.ts';
import { nodeRoutes } from '../modules/provisioning/routes.ts';
import { reachRoutes } from '../modules/reach/routes.ts';
import { authenticate, type ReadAhead, type SignedInCaller } from '../modules/sessions/caller.ts';
import { factorRoutes } from '../modules/sessions/factor-routes.ts';
import { factorSignInRoutes } from '../modules/sessions/factor-sign-in-routes.ts';
import { passwordRoutes } from '../modules/sessions/password-routes.ts';
import { authRoutes } from '../modules/sessions/routes.ts';
import { sessionRoutes } from '../modules/sessions/session-routes.ts';
import { socialRoutes } from '../modules/sessions/social-routes.ts';
import { type AdminHandlers, admit } from '../modules/staff/admit.ts';
import { staffRoutes } from '../modules/staff/routes.ts';
import { staffSessionRoutes } from '../modules/staff/session-routes.ts';
import { tokenRoutes } from '../modules/staff/token-routes.ts';
import { planRoutes } from '../modules/subscriptions/routes.ts';
import { historyRoutes } from '../modules/wallet/history-routes.ts';
import { walletRoutes } from '../modules/wallet/routes.ts';
import { statementRoutes } from '../modules/wallet/statement-routes.ts';
import { createHttp } from '../platform/http/create-http.ts';
import { isDirectRequest } from '../platform/http/direct-request.ts';
import { mountEndpoints, mountTable } from '../platform/http/mount.ts';
import { type ApplicationShell, servePages } from '../platform/http/pages.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';
import { serveHealth } from './health.ts';
import { serveInstaller } from './installer.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { refuseOtherNodeVersions } from './node-versions.ts';
import { realtimeRoutes } from './realtime.ts';
import { logSecurityEvents } from './security-log.ts';
import { settingRoutes } from './settings-routes.ts';
import { siteRoutes, siteValuesOf } from './site.ts';
import { mountTestProviders } from './social-providers.ts';
import { serveStatus } from './status/serve.ts';
import { testStoreKeys } from './stores.ts';

/** Paths of the single-page application and the shell of each; the shells differ in what they preload. The console is another program. */
export const applicationShells: readonly ApplicationShell[] = [
  { paths: /^\/(auth|register|verify-email)(\/|$)/, file: 'app-visitor.html' },
  { paths: /^\/user(\/|$)/, file: 'app-panel.html' },
  { paths: /^\/admin(\/|$)/, file: 'console.html' },
  { paths: /^\/(dashboard|configs|wallet|payments|subscriptions|profile)(\/|$)/, file: 'app.html' },
];

/** By call, of all modules: what is read while its caller is found. */
const readsAhead: Readonly<Record<string, ReadAhead>> = { ...configReadsAhead, ...dashboardReadsAhead };

/** Builds the HTTP application: APIs, pages, installer and simulators. */
export async function buildApp(deps: Deps): Promise<{ app: FastifyInstance; metrics: Metrics }> {
  const metrics = createMetrics();
  const app = await createHttp({
    publicUrl: deps.publicUrl,
    log: deps.log,
    clock: deps.clock,
    trustedProxies: deps.config.trustedProxies,
    observe: metrics.observe,
    draining: deps.draining,
  });
  logSecurityEvents(app, deps.log);
  const authenticators = {
    user: (request: Parameters<typeof authenticate>[1]): Promise<SignedInCaller> =>
      authenticate(deps, request, readsAhead[request.routeOptions.config.endpoint ?? '']),
    node: (request: Parameters<typeof authenticate>[1]): Promise<Node> => authenticateNode(deps, request),
  };
  const handlers = {
    ...authRoutes(deps),
    ...passwordRoutes(deps),
    ...sessionRoutes(deps),
    ...socialRoutes(deps),
    ...factorSignInRoutes(deps),
    ...factorRoutes(deps),
    ...walletRoutes(deps),
    ...historyRoutes(deps),
    ...statementRoutes(deps),
    ...paymentRoutes(deps),
    ...invoiceRoutes(deps),
    ...giftCardRoutes(deps),
    ...storeRoutes(deps),
    ...subscriptionRoutes(deps),
    ...currencyRoutes(deps),
    ...configRoutes(deps),
    ...connectionRoutes(deps),
    ...familyRoutes(deps),
    ...serverRoutes(deps),
    ...reachRoutes(deps),
    ...dashboardRoutes(deps),
    ...figureRoutes(deps),
    ...notificationRoutes(deps),
    ...profileRoutes(deps),
    ...realtimeRoutes(deps, app),
    ...siteRoutes(deps),
  };
  mountEndpoints(app, API_BASE, publicEndpoints, handlers, authenticators);
  // The specification names these calls with and without the version.
  mountEndpoints(app, '/api', currency, currencyRoutes(deps), authenticators);
  mountEndpoints(app, NODE_BASE, nodeEndpoints, { ...nodeRoutes(deps), ...reportRoutes(deps) }, authenticators);
  mountTable(app, API_BASE, adminEndpoints, consoleHandlers(deps), (endpoint, request) =>
    admit(deps, endpoint, request),
  );
  refuseOtherNodeVersions(app, deps, metrics);
  const document = openapi(publicEndpoints, { title: 'Raha', version: version, server: API_BASE }, publicAccess);
  app.get(`${API_BASE}/openapi.json`, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(document),
  );
  serveHealth(app, deps, metrics);
  serveStatus(app, deps);
  serveInstaller(app, deps);
  await mountSimulators(app, deps);
  await servePages(app, {
    directory: join(import.meta.dirname, '../../../web/dist'),
    publicUrl: deps.publicUrl,
    shells: applicationShells,
    siteValues: await siteValuesOf(deps),
  });
  return { app, metrics };
}

/** The calls of the console, each in the module that it is about. */
function consoleHandlers(deps: Deps): AdminHandlers<typeof adminEndpoints> {
  return {
    ...staffSessionRoutes(deps),
    ...staffRoutes(deps),
    ...peopleRoutes(deps),
    ...deliveryRoutes(deps),
    ...approvalRoutes(deps),
    ...bulkRoutes(deps),
    ...moneyRoutes(deps),
    ...staffPaymentRoutes(deps),
    ...priceRoutes(deps),
    ...planRoutes(deps),
    ...cardRoutes(deps),
    ...settingRoutes(deps),
    ...staffReportRoutes(deps),
    ...bookRoutes(deps),
    ...fleetRoutes(deps),
    ...reachMapRoutes(deps),
    ...entryRoutes(deps),
    ...todayRoutes(deps),
    ...alertRoutes(deps),
    ...tokenRoutes(deps),
  };
}

/**
 * The test banks, test store, test providers and outbox page; never in production. In a workshop they answer only direct requests
 * from this machine, so that a proxy in front of it exposes no sign-in codes.
 */
async function mountSimulators(app: FastifyInstance, deps: Deps): Promise<void> {
  if (deps.config.installation === 'workshop') {
    app.addHook('onRequest', async (request) => {
      if (request.url.startsWith('/dev/') && !isDirectRequest(request)) throw new Refusal('not_found');
    });
  }
  if ([...deps.gateways.values()].some((gateway) => gateway.test)) {
    await mountTestBanks(app, {
      db: deps.db,
      clock: deps.clock,
      faults: deps.bankFaults,
      publicOrigin: new URL(deps.publicUrl).origin,
      pageOrigin: () => deps.publicUrl,
    });
  }
  if ([...deps.stores.values()].some((store) => store.test)) await mountTestStore(app, deps);
  await mountTestProviders(app, deps);
  const directory = join(deps.config.dataDir, 'outbox');
  if (deps.sms?.test) {
    await app.register((scope) => testSms(scope, { clock: deps.clock, directory }), { prefix: TEST_SMS_PATH });
  }
  if (deps.config.outboxShown) await app.register(outboxPage, { directory });
}

async function mountTestStore(app: FastifyInstance, deps: Deps): Promise<void> {
  const { db, clock, vault, stores } = deps;
  await app.register(
    (scope) =>
      testStore(scope, {
        db,
        clock,
        publicOrigin: new URL(deps.publicUrl).origin,
        keyOf: (slug) => (stores.get(slug)?.test ? testStoreKeys(vault, slug) : undefined),
        takeCard: async (usdCents, note) => (await issueGiftCards(deps, { count: 1, usdCents, note })).codes[0] ?? '',
        webhookUrl: (slug) => `${deps.address.origin}${API_BASE}/giftcards/webhooks/${slug}`,
      }),
    { prefix: TEST_STORE_PATH },
  );
}
