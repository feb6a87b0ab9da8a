import type { nodeEndpoints } from '@raha/contract/node/protocol.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { type ReportDeps, receiveUsageReport } from './receive-usage-report.ts';

export function reportRoutes(
  deps: ReportDeps,
): Handlers<Pick<typeof nodeEndpoints, 'reportUsage'>, unknown, { id: string }> {
  return {
    reportUsage: async ({ caller, body, request }) => await receiveUsageReport(deps, caller.id, body, request.ip),
  };
}
