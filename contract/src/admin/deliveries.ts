import * as z from 'zod/mini';
import { type DeliveryState, deliveryChannels, deliveryKinds, deliveryReasons, deliveryStates } from '../deliveries.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';

/** What became of mails and text messages. Nothing of their content is kept, nor the address they went to. */

export const deliveryLine = z.object({
  id,
  /** Null: to an address without an account. */
  user: z.nullable(id),
  channel: z.enum(deliveryChannels),
  kind: z.enum(deliveryKinds),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  reason: z.nullable(z.enum(deliveryReasons)),
  /** The number in the answer of the mail server or provider. */
  code: z.nullable(z.int()),
  first_at: instant,
  /** Of the last attempt. */
  at: instant,
  /** Whether it can be sent again: it has a code or link, or says a notification. */
  can_resend: z.boolean(),
});
export type DeliveryLine = z.output<typeof deliveryLine>;

/** In the list of all: everything but what was sent. */
export const unsentStates = ['waiting', 'uncertain', 'failed', 'given_up'] as const satisfies readonly DeliveryState[];

const page = wrapped(z.object({ deliveries: z.array(deliveryLine), next: z.nullable(id) }));

export const deliveryCalls = {
  listUserDeliveries: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/people/{id}/deliveries',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary: 'Mails and text messages to a user and what became of them, newest first; without their content',
    params: idParams,
    query: z.object({ before: z.optional(id) }),
    response: page,
  }),
  listUnsentDeliveries: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/deliveries',
    caller: 'staff',
    may: 'people.read',
    proof: 'none',
    reason: 'none',
    summary: 'Mails and text messages that were not sent, newest first, of all users or of none',
    query: z.object({
      state: z.optional(z.enum(unsentStates, 'invalid')),
      channel: z.optional(z.enum(deliveryChannels, 'invalid')),
      before: z.optional(id),
    }),
    response: page,
  }),
  resendDelivery: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/deliveries/{id}/resend',
    caller: 'staff',
    may: 'people.resend',
    proof: 'none',
    reason: 'none',
    summary: 'Send it again: a new code within the limits of the user’s own requests, or the notification once more',
    params: idParams,
    response: done,
  }),
};
