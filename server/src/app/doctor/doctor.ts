import { type DoctorContext, type Finding, problem } from './finding.ts';
import { insideChecks } from './inside.ts';
import { outsideChecks } from './outside.ts';

export interface Examined extends Finding {
  readonly check: string;
}

/** Examines a running installation from inside and outside. A check that throws is reported as a problem. */
export async function examine(context: DoctorContext): Promise<Examined[]> {
  const examined: Examined[] = [];
  for (const { name, run } of [...insideChecks, ...outsideChecks]) {
    const findings = await run(context).catch((error: unknown) => [
      problem(`This could not be checked: ${error instanceof Error ? error.message : String(error)}`),
    ]);
    examined.push(...findings.map((finding) => ({ check: name, ...finding })));
  }
  return examined;
}
