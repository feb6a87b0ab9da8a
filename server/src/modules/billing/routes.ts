import type { nodeEndpoints } from '@raha/contract/node/protocol.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { WatchedConfigs } from '../metering/watched-configs.ts';
import { type ReportDeps, receiveUsageReport } from './receive-usage-report.ts';

export function reportRoutes(
  deps: ReportDeps & { readonly watchedConfigs: WatchedConfigs },
): Handlers<Pick<typeof nodeEndpoints, 'reportUsage'>, unknown, { id: string }> {
  return {
    async reportUsage({ caller, body, request }) {
      const reply = await receiveUsageReport(deps, caller.id, body, request.ip);
      const watched = deps.watchedConfigs.among(body.tunnels.map(({ config }) => config));
      return watched.length > 0 ? { ...reply, watched } : reply;
    },
  };
}
