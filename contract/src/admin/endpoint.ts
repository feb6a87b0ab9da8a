import type { AnyEndpoint } from '../endpoint.ts';
import type { Permission } from './roles.ts';

type Shape = Omit<AnyEndpoint, 'aliases' | 'upload'>;

/** Anybody, before the mailed code. */
interface VisitorCall extends Shape {
  readonly caller: 'visitor';
}

/** After the mailed code, before the factor. */
interface PendingCall extends Shape {
  readonly caller: 'pending';
}

/** A signed-in member about the own session: every role may. */
interface OwnCall extends Shape {
  readonly caller: 'self';
}

interface StaffCall extends Shape {
  readonly caller: 'staff';
  /** What the role must have. */
  readonly may: Permission;
  /** `recent`: a factor was shown in this session within the last quarter of an hour; `money`: within five minutes. */
  readonly proof: 'none' | 'recent' | 'money';
}

/** A body that asks why. The audit keeps the answer. */
interface BodyWithReason {
  readonly _zod: { readonly input: unknown; readonly output: { readonly reason: string } };
}

/**
 * A call of the console. What it needs is part of its type: a call of staff that names no permission, proof or reason does
 * not compile, nor does one that asks for a reason and has none in its body.
 */
export type AdminEndpoint =
  | VisitorCall
  | PendingCall
  | OwnCall
  | (StaffCall & { readonly reason: 'none' })
  | (StaffCall & { readonly reason: 'required'; readonly body: BodyWithReason });

export type AdminTable = Readonly<Record<string, AdminEndpoint>>;

/* @__NO_SIDE_EFFECTS__ */
export function defineAdminEndpoint<const E extends AdminEndpoint>(endpoint: E): E {
  return endpoint;
}
