import type { NotificationKind } from '@raha/contract/public/notifications.ts';
import type { NotificationEvent } from '../../platform/notifications.ts';
import type { BillingNotifications } from '../billing/notifications.ts';
import type { ConfigNotifications } from '../configs/notifications.ts';
import type { FactorNotifications } from '../factors/notifications.ts';
import type { GiftCardNotifications } from '../gift-cards/notifications.ts';
import type { MovementNotifications } from '../movement/notifications.ts';
import type { PaymentNotifications } from '../payments/notifications.ts';
import type { PlanNotifications } from '../plan-sales/notifications.ts';
import type { SessionNotifications } from '../sessions/notifications.ts';
import type { WalletNotifications } from '../wallet/notifications.ts';

/** All kinds, as the modules declare them. Each must have a text in `texts.ts` and be listed in the contract. */
export type AllNotifications = Pick<Declared, NotificationKind>;
export type AnyEvent = NotificationEvent<AllNotifications>;

type Declared = SessionNotifications &
  FactorNotifications &
  PaymentNotifications &
  GiftCardNotifications &
  BillingNotifications &
  ConfigNotifications &
  MovementNotifications &
  PlanNotifications &
  WalletNotifications;
