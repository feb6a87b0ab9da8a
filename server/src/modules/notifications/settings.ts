import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

// Names of the templates approved by Kavenegar.
const template = z.string().check(z.regex(/^[\w-]{1,60}$/));

export const smsCodeTemplate = defineSetting('sms.codeTemplate', template, 'raha-code');
export const smsLowBalanceTemplate = defineSetting('sms.lowBalanceTemplate', template, 'raha-low-balance');
export const smsServiceCutTemplate = defineSetting('sms.serviceCutTemplate', template, 'raha-service-cut');
